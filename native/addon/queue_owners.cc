// Reads on its own thread: the kernel holds locks of the devices meanwhile.
#include "addon/queue_owners.h"

#include <memory>

#include "core/rdma/queue_owners.h"
#include "core/thread.h"

namespace faultline {
namespace {

using SharedOwners = std::shared_ptr<QueueOwners>;

void CallWithOwners(Napi::Env env, Napi::Function callback, SharedOwners* shared, void*) {
  if (env == nullptr || callback.IsEmpty()) return;  // the environment is ending
  const QueueOwners& read = **shared;
  const auto count = static_cast<std::uint32_t>(read.owners.size());
  Napi::Array devices = Napi::Array::New(env, count);
  Napi::Uint32Array pids = Napi::Uint32Array::New(env, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    devices.Set(i, Napi::String::New(env, read.owners[i].first));
    pids[i] = read.owners[i].second;
  }
  napi_value arguments[] = {Napi::Number::New(env, read.error), devices, pids};
  napi_value undefined = env.Undefined();
  if (napi_call_function(env, undefined, callback, 3, arguments, nullptr) != napi_pending_exception) return;
  napi_value thrown = nullptr;
  if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
}
using OwnersRead = Napi::TypedThreadSafeFunction<SharedOwners, void, CallWithOwners>;

}  // namespace

Napi::Value RdmaQueueOwners(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsFunction()) {
    Napi::TypeError::New(env, "rdmaQueueOwners(done: (error, devices, pids) => void)").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  const SharedOwners read = std::make_shared<QueueOwners>();
  const OwnersRead done = OwnersRead::New(env, info[0].As<Napi::Function>(), "faultline rdma", 0, 1, new SharedOwners(read),
                              [](Napi::Env, void*, SharedOwners* held) { delete held; });
  const bool started = start_thread("fl-rdma", [read, done]() {
    *read = read_queue_owners(rdma_netlink);
    done.NonBlockingCall();
    OwnersRead(done).Release();
  });
  if (!started) {
    OwnersRead(done).Release();
    Napi::Error::New(env, "rdmaQueueOwners: the system refused a thread").ThrowAsJavaScriptException();
  }
  return env.Undefined();
}

}  // namespace faultline
