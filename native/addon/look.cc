// `lookAt` as JavaScript sees it: each thing that is asked of a file by itself would wake two threads.
#include "addon/look.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/files/look.h"

namespace faultline {
namespace {

class LookJob final : public Napi::AsyncWorker {
 public:
  LookJob(Napi::Function done, int fd, std::string path, off_t offset, std::size_t most, std::string head)
      : AsyncWorker(done, "faultline look"),
        fd_(fd),
        path_(std::move(path)),
        offset_(offset),
        most_(most),
        head_(std::move(head)) {}

  void Execute() override { look_ = look_at(fd_, path_, offset_, most_, head_); }

  std::vector<napi_value> GetResult(Napi::Env env) override {
    const bool same = look_.named && look_.name.st_ino == look_.file.st_ino && look_.name.st_dev == look_.file.st_dev;
    napi_value added = env.Null();
    if (!look_.added.empty()) added = Napi::Buffer<char>::Copy(env, look_.added.data(), look_.added.size());
    return {Napi::Number::New(env, look_.error),
            Napi::Number::New(env, static_cast<double>(look_.file.st_size)),
            Napi::Number::New(env, static_cast<double>(look_.file.st_nlink)),
            same ? Napi::Boolean::New(env, true) : look_.named ? Napi::Boolean::New(env, false) : env.Null(),
            Napi::Boolean::New(env, look_.begins),
            added};
  }

 private:
  const int fd_;
  const std::string path_;
  const off_t offset_;
  const std::size_t most_;
  const std::string head_;
  FileLook look_;
};

}  // namespace

Napi::Value LookAt(const Napi::CallbackInfo& info) {
  const bool given = info.Length() >= 6 && info[0].IsNumber() && info[1].IsString() && info[2].IsNumber() &&
                     info[3].IsNumber() && info[4].IsBuffer() && info[5].IsFunction();
  if (given) {
    const auto number = [&](std::size_t at) { return std::max<std::int64_t>(0, info[at].As<Napi::Number>().Int64Value()); };
    const auto head = info[4].As<Napi::Buffer<char>>();
    (new LookJob(info[5].As<Napi::Function>(), info[0].As<Napi::Number>().Int32Value(), info[1].As<Napi::String>(),
                 static_cast<off_t>(number(2)), static_cast<std::size_t>(number(3)), std::string(head.Data(), head.Length())))
        ->Queue();  // ends itself
  } else {
    Napi::TypeError::New(info.Env(), "lookAt(fd: number, path: string, offset: number, most: number, head: Buffer, done)")
        .ThrowAsJavaScriptException();
  }
  return info.Env().Undefined();
}

}  // namespace faultline
