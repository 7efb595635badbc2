// `mapText` as JavaScript sees it.
#pragma once

#include <napi.h>

namespace faultline {

Napi::Value MapText(const Napi::CallbackInfo& info);

}  // namespace faultline
