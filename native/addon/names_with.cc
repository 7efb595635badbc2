// `namesWith` as JavaScript sees it: listed on a thread of Node's pool, of which only what matches becomes an object.
#include "addon/names_with.h"

#include <string>

#include "core/files/names_with.h"

namespace faultline {
namespace {

class NamesJob final : public Napi::AsyncWorker {
 public:
  NamesJob(Napi::Function done, std::string folder, std::string prefix, std::size_t most, std::size_t most_seen)
      : AsyncWorker(done, "faultline names"),
        folder_(std::move(folder)),
        prefix_(std::move(prefix)),
        most_(most),
        most_seen_(most_seen) {}
  void Execute() override { found_ = names_with(folder_, prefix_, most_, most_seen_); }
  std::vector<napi_value> GetResult(Napi::Env env) override {
    const Napi::Number error = Napi::Number::New(env, found_.error);
    if (found_.more) return {error, env.Null()};
    Napi::Array names = Napi::Array::New(env, found_.names.size());
    for (std::size_t i = 0; i < found_.names.size(); ++i) {
      names[static_cast<std::uint32_t>(i)] = Napi::String::New(env, found_.names[i]);
    }
    return {error, names};
  }

 private:
  const std::string folder_;
  const std::string prefix_;
  const std::size_t most_;
  const std::size_t most_seen_;
  NamesWith found_;
};

}  // namespace

Napi::Value NamesWithOf(const Napi::CallbackInfo& info) {
  const bool fits = info.Length() >= 5 && info[0].IsString() && info[1].IsString() && info[2].IsNumber() &&
                    info[3].IsNumber() && info[4].IsFunction();
  if (fits) {
    const auto most = static_cast<std::size_t>(info[2].As<Napi::Number>().Uint32Value());
    const auto most_seen = static_cast<std::size_t>(info[3].As<Napi::Number>().Uint32Value());
    (new NamesJob(info[4].As<Napi::Function>(), info[0].As<Napi::String>(), info[1].As<Napi::String>(), most, most_seen))
        ->Queue();  // ends itself
  } else {
    Napi::TypeError::New(
        info.Env(),
        "namesWith(folder: string, prefix: string, most: number, mostSeen: number, done: (error, names) => void)")
        .ThrowAsJavaScriptException();
  }
  return info.Env().Undefined();
}

}  // namespace faultline
