// `KernelLog` and `Rapl` as JavaScript sees them: readers that belong to a Core and can be stopped.
#pragma once

#include <napi.h>

#include <memory>

#include "core/kernel_log/kernel_log.h"
#include "core/reader.h"

namespace faultline {

// The reader itself belongs to the core: it goes on when JavaScript drops its object, and ends with the core.
class KernelLogObject final : public Napi::ObjectWrap<KernelLogObject> {
 public:
  static Napi::Function Define(Napi::Env env);
  explicit KernelLogObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Stop(const Napi::CallbackInfo& info);
  Napi::Value Counts(const Napi::CallbackInfo& info);
  std::shared_ptr<KernelLog> reader_;
};

class RaplObject final : public Napi::ObjectWrap<RaplObject> {
 public:
  static Napi::Function Define(Napi::Env env);
  explicit RaplObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Stop(const Napi::CallbackInfo& info);
  std::shared_ptr<Reader> reader_;
};

}  // namespace faultline
