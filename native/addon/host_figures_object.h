// `HostFigures` as JavaScript sees it: one method, whose answer comes by callback.
#pragma once

#include <napi.h>

#include <memory>

#include "addon/tagged_object.h"
#include "core/host/host_figures.h"

namespace faultline {

class HostFiguresObject final : public TaggedObject<HostFiguresObject> {
 public:
  static constexpr char kClass[] = "HostFigures";
  static constexpr napi_type_tag kTag{0x6661756c746c696eULL, 0x652d686f73742d31ULL};

  static Napi::Function Define(Napi::Env env);
  explicit HostFiguresObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Read(const Napi::CallbackInfo& info);
  std::shared_ptr<HostFigures> figures_;
};

}  // namespace faultline
