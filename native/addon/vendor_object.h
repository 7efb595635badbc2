// `Vendor` as JavaScript sees it: a running supervisor of vendor children.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>

#include "core/vendor/link.h"

namespace faultline {

Napi::Function DefineVendor(Napi::Env env);

class VendorObject final : public Napi::ObjectWrap<VendorObject> {
 public:
  explicit VendorObject(const Napi::CallbackInfo& info);
  ~VendorObject() override;

 private:
  friend Napi::Function DefineVendor(Napi::Env env);
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
