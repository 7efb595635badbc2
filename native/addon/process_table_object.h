// `ProcessTable` as JavaScript sees it: one method, whose answer comes by callback.
#pragma once

#include <napi.h>

#include <memory>

#include "addon/tagged_object.h"
#include "addon/wake_channel.h"
#include "core/processes/process_table.h"

namespace faultline {

class ProcessTableObject final : public TaggedObject<ProcessTableObject> {
 public:
  static constexpr char kClass[] = "ProcessTable";
  static constexpr napi_type_tag kTag{0x6661756c746c696eULL, 0x652d70726f632d31ULL};

  static Napi::Function Define(Napi::Env env);
  explicit ProcessTableObject(const Napi::CallbackInfo& info);
  ~ProcessTableObject() override;

 private:
  Napi::Value Scan(const Napi::CallbackInfo& info);
  Napi::Value LendLog(const Napi::CallbackInfo& info);
  Napi::Value WatchEnds(const Napi::CallbackInfo& info);
  Napi::Value TakeEnds(const Napi::CallbackInfo& info);
  Napi::Value StopWatching(const Napi::CallbackInfo& info);
  void Stop();
  std::shared_ptr<ProcessTable> table_;
  std::vector<std::string> variables_;
  std::shared_ptr<WakeChannel> ends_;
};

}  // namespace faultline
