// `ProcessTable` as JavaScript sees it: one method, whose answer comes by callback.
#pragma once

#include <napi.h>

#include <memory>

#include "addon/tagged_object.h"
#include "core/processes/process_table.h"

namespace faultline {

class ProcessTableObject final : public TaggedObject<ProcessTableObject> {
 public:
  static constexpr char kClass[] = "ProcessTable";
  static constexpr napi_type_tag kTag{0x6661756c746c696eULL, 0x652d70726f632d31ULL};

  static Napi::Function Define(Napi::Env env);
  explicit ProcessTableObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Scan(const Napi::CallbackInfo& info);
  Napi::Value LendLog(const Napi::CallbackInfo& info);
  std::shared_ptr<ProcessTable> table_;
  std::vector<std::string> variables_;
};

}  // namespace faultline
