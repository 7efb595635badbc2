// The one way from native threads to JavaScript: at most one call under way, none after close, none at exit.
#include "addon/wake_channel.h"

namespace faultline {

bool WakeChannel::Claim() {
  const std::lock_guard lock(mutex_);
  // A call sent before the channel was closed still arrives, and must not reach a callback that was replaced. What
  // woke us may have been drained meanwhile, or the previous wake not yet answered.
  return !closed_ && (!core_ || core_->claim_wake());
}

void WakeChannel::Call(Napi::Env env, Napi::Function callback, Context* channel, void*) {
  if (env == nullptr || callback.IsEmpty()) return;  // the environment is ending
  const std::shared_ptr<WakeChannel> alive = channel->lock();
  if (!alive || !alive->Claim()) return;
  // As the environment ends JavaScript can no longer be called: then this fails, and no listener is left.
  napi_value undefined = env.Undefined();
  if (napi_call_function(env, undefined, callback, 0, nullptr, nullptr) != napi_pending_exception) return;
  napi_value thrown = nullptr;
  if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
}

std::shared_ptr<WakeChannel> WakeChannel::Open(Napi::Env env, Napi::Function callback, std::shared_ptr<Core> core) {
  auto channel = std::make_shared<WakeChannel>();
  channel->core_ = std::move(core);
  auto* context = new Context(channel);
  // One place in the queue is enough: a call under way finds whatever came after it was sent.
  channel->function_ = Function::New(env, callback, "faultline wake", 1, 1, context,
                                     [](Napi::Env, void*, Context* ended) { delete ended; });
  channel->function_.Unref(env);
  return channel;
}

void WakeChannel::Wake() {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  // Closing also gives our hold on it back: from then on it must not be touched.
  if (function_.NonBlockingCall() == napi_closing) closed_ = true;
}

void WakeChannel::Close() {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  closed_ = true;
  function_.Release();
}

}  // namespace faultline
