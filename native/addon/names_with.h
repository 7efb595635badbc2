// `namesWith` as JavaScript sees it.
#pragma once

#include <napi.h>

namespace faultline {

Napi::Value NamesWithOf(const Napi::CallbackInfo& info);

}  // namespace faultline
