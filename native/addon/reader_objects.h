// `KernelLog` and `Rapl` as JavaScript sees them: readers that belong to a Core and can be stopped.
#pragma once

#include <napi.h>

#include <memory>

#include "addon/tagged_object.h"
#include "core/kernel_log/kernel_log.h"
#include "core/reader.h"

namespace faultline {

// The reader itself belongs to the core: it continues when JavaScript drops its object, and ends with the core.
class KernelLogObject final : public TaggedObject<KernelLogObject> {
 public:
  static constexpr char kClass[] = "KernelLog";
  static constexpr napi_type_tag kTag{0x6661756c746c696eULL, 0x652d6b6d73672d31ULL};

  static Napi::Function Define(Napi::Env env);
  explicit KernelLogObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Stop(const Napi::CallbackInfo& info);
  Napi::Value Counts(const Napi::CallbackInfo& info);
  std::shared_ptr<KernelLog> reader_;
};

class RaplObject final : public TaggedObject<RaplObject> {
 public:
  static constexpr char kClass[] = "Rapl";
  static constexpr napi_type_tag kTag{0x6661756c746c696eULL, 0x652d7261706c2d31ULL};

  static Napi::Function Define(Napi::Env env);
  explicit RaplObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Stop(const Napi::CallbackInfo& info);
  std::shared_ptr<Reader> reader_;
};

}  // namespace faultline
