// `Vendor` as JavaScript sees it: a running supervisor of vendor children.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>

#include "addon/tagged_object.h"
#include "core/vendor/link.h"

namespace faultline {

class VendorObject final : public TaggedObject<VendorObject> {
 public:
  static constexpr char kClass[] = "Vendor";
  static constexpr napi_type_tag kTag{0x6661756c746c696eULL, 0x652d76656e642d31ULL};

  static Napi::Function Define(Napi::Env env);
  explicit VendorObject(const Napi::CallbackInfo& info);
  ~VendorObject() override;

 private:
  Napi::Value Burst(const Napi::CallbackInfo& info);
  Napi::Value Release(const Napi::CallbackInfo& info);
  Napi::Value Pid(const Napi::CallbackInfo& info);
  Napi::Value Stop(const Napi::CallbackInfo& info);
  // The duration in ns, or nothing with a TypeError pending.
  std::optional<std::int64_t> Duration(const Napi::CallbackInfo& info, const char* method) const;

  // Null when the constructor threw.
  std::shared_ptr<VendorLink> link_;
};

}  // namespace faultline
