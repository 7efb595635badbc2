// `ProcessTable` as JavaScript sees it: one method, whose answer comes by callback.
#pragma once

#include <napi.h>

#include <memory>

#include "core/processes/process_table.h"

namespace faultline {

class ProcessTableObject final : public Napi::ObjectWrap<ProcessTableObject> {
 public:
  static Napi::Function Define(Napi::Env env);
  explicit ProcessTableObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Scan(const Napi::CallbackInfo& info);
  std::shared_ptr<ProcessTable> table_;
  std::vector<std::string> variables_;
};

}  // namespace faultline
