// `nextData` as JavaScript sees it: asked of the file system on a thread, since one on the network may take its time.
#include "addon/next_data.h"

#include <limits>

#include "core/files/next_data.h"

namespace faultline {
namespace {

class HoleJob final : public Napi::AsyncWorker {
 public:
  HoleJob(Napi::Function done, int fd, off_t offset) : AsyncWorker(done, "faultline next data"), fd_(fd), offset_(offset) {}
  void Execute() override { found_ = next_data(fd_, offset_); }
  std::vector<napi_value> GetResult(Napi::Env env) override {
    const bool none = found_ == std::numeric_limits<off_t>::max();
    return {none ? env.Null() : Napi::Number::New(env, static_cast<double>(found_))};
  }

 private:
  const int fd_;
  const off_t offset_;
  off_t found_ = 0;
};

}  // namespace

Napi::Value NextData(const Napi::CallbackInfo& info) {
  if (info.Length() >= 3 && info[0].IsNumber() && info[1].IsNumber() && info[2].IsFunction()) {
    const int fd = info[0].As<Napi::Number>().Int32Value();
    const auto offset = static_cast<off_t>(info[1].As<Napi::Number>().Int64Value());
    (new HoleJob(info[2].As<Napi::Function>(), fd, offset))->Queue();  // ends itself
  } else {
    Napi::TypeError::New(info.Env(), "nextData(fd: number, offset: number, done: (offset: number | null) => void)")
        .ThrowAsJavaScriptException();
  }
  return info.Env().Undefined();
}

}  // namespace faultline
