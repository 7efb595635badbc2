// `HostFigures` as JavaScript sees it: one method, whose answer comes by callback.
#pragma once

#include <napi.h>

#include <memory>

#include "core/host/host_figures.h"

namespace faultline {

class HostFiguresObject final : public Napi::ObjectWrap<HostFiguresObject> {
 public:
  static Napi::Function Define(Napi::Env env);
  explicit HostFiguresObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Read(const Napi::CallbackInfo& info);
  std::shared_ptr<HostFigures> figures_;
};

}  // namespace faultline
