// The one way from native threads to JavaScript: at most one call under way, none after close, none at exit.
#pragma once

#include <napi.h>

#include <memory>
#include <mutex>

#include "core/core.h"

namespace faultline {

class WakeChannel {
 public:
  // Unref'd: it never keeps the process alive. `core`: what claims wakes; null: each is called.
  static std::shared_ptr<WakeChannel> Open(Napi::Env env, Napi::Function callback, std::shared_ptr<Core> core);

  // From any thread; never blocks.
  void Wake();
  // From the JavaScript thread, or as its environment ends; idempotent.
  void Close();

 private:
  using Context = std::weak_ptr<WakeChannel>;
  static void Call(Napi::Env env, Napi::Function callback, Context* channel, void* data);
  using Function = Napi::TypedThreadSafeFunction<Context, void, Call>;

  // True when JavaScript has to be called now.
  bool Claim();

  std::shared_ptr<Core> core_;
  std::mutex mutex_;  // a thread-safe function must not be touched while or after it is released
  bool closed_ = false;
  Function function_;
};

}  // namespace faultline
