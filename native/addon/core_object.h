// `Core` as JavaScript sees it.
#pragma once

#include <napi.h>

#include <memory>

#include "addon/tagged_object.h"
#include "addon/wake_channel.h"
#include "core/core.h"

namespace faultline {

class CoreObject final : public TaggedObject<CoreObject> {
 public:
  static constexpr char kClass[] = "Core";
  static constexpr napi_type_tag kTag{0x6661756c746c696eULL, 0x652d636f72652d31ULL};

  static Napi::Function Define(Napi::Env env);
  // The core behind a JavaScript Core; null with a TypeError pending for anything else.
  static std::shared_ptr<Core> From(Napi::Env env, Napi::Value value);

  explicit CoreObject(const Napi::CallbackInfo& info);
  ~CoreObject() override;

 private:
  Napi::Value Now(const Napi::CallbackInfo& info);
  Napi::Value OnWake(const Napi::CallbackInfo& info);
  Napi::Value Idle(const Napi::CallbackInfo& info);
  Napi::Value Drain(const Napi::CallbackInfo& info);
  Napi::Value SetDetectors(const Napi::CallbackInfo& info);
  Napi::Value SetPeerGroup(const Napi::CallbackInfo& info);
  Napi::Value Series(const Napi::CallbackInfo& info);
  Napi::Value SeriesKeys(const Napi::CallbackInfo& info);
  Napi::Value Push(const Napi::CallbackInfo& info);
  Napi::Value TakeAggregates(const Napi::CallbackInfo& info);
  Napi::Value ReadHistory(const Napi::CallbackInfo& info);
  Napi::Value Stats(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  static void EnvironmentEnds(void* object);
  void CloseChannel();
  void CloseAll();

  std::shared_ptr<Core> core_;
  std::shared_ptr<WakeChannel> channel_;
};

}  // namespace faultline
