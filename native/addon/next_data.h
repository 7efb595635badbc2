// `nextData` as JavaScript sees it.
#pragma once

#include <napi.h>

namespace faultline {

Napi::Value NextData(const Napi::CallbackInfo& info);

}  // namespace faultline
