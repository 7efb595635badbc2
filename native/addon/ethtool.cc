// Reads on its own thread: the driver may keep the caller as long as it likes.
#include "addon/ethtool.h"

#include <memory>
#include <string>
#include <vector>

#include "core/ethtool/statistics.h"
#include "core/thread.h"

namespace faultline {
namespace {

constexpr std::uint32_t kMostNames = 1024;

struct Work {
  std::string interface;
  std::vector<std::string> names;
  EthtoolStatistics read;
};
using Shared = std::shared_ptr<Work>;

void Call(Napi::Env env, Napi::Function callback, Shared* shared, void*) {
  if (env == nullptr || callback.IsEmpty()) return;  // the environment is ending
  const EthtoolStatistics& read = (**shared).read;
  Napi::Float64Array values = Napi::Float64Array::New(env, read.values.size());
  for (std::size_t i = 0; i < read.values.size(); ++i) values[i] = read.values[i];
  napi_value arguments[] = {Napi::Number::New(env, read.error), values};
  napi_value undefined = env.Undefined();
  if (napi_call_function(env, undefined, callback, 2, arguments, nullptr) != napi_pending_exception) return;
  napi_value thrown = nullptr;
  if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
}
using Done = Napi::TypedThreadSafeFunction<Shared, void, Call>;

bool ReadNames(Napi::Value value, std::vector<std::string>& names) {
  if (!value.IsArray()) return false;
  const auto list = value.As<Napi::Array>();
  if (list.Length() > kMostNames) return false;
  for (std::uint32_t i = 0; i < list.Length(); ++i) {
    const Napi::Value name = list.Get(i);
    if (!name.IsString()) return false;
    names.push_back(name.As<Napi::String>());
  }
  return true;
}

}  // namespace

Napi::Value EthtoolStatisticsOf(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Shared work = std::make_shared<Work>();
  if (!info[0].IsString() || !ReadNames(info[1], work->names) || !info[2].IsFunction()) {
    Napi::TypeError::New(env, "ethtoolStatistics(interface: string, names: string[], done: (error, values) => void)")
        .ThrowAsJavaScriptException();
    return env.Undefined();
  }
  work->interface = info[0].As<Napi::String>();
  const Done done = Done::New(env, info[2].As<Napi::Function>(), "faultline ethtool", 0, 1, new Shared(work),
                              [](Napi::Env, void*, Shared* held) { delete held; });
  const bool started = start_thread("fl-ethtool", [work, done]() {
    work->read = read_ethtool_statistics(work->interface, work->names, ethtool_ioctl);
    done.NonBlockingCall();
    Done(done).Release();
  });
  if (!started) {
    Done(done).Release();
    Napi::Error::New(env, "ethtoolStatistics: the system refused a thread").ThrowAsJavaScriptException();
  }
  return env.Undefined();
}

}  // namespace faultline
