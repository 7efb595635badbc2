// Native results as the plain objects and typed arrays of src/native.ts.
#pragma once

#include <napi.h>

#include <vector>

#include "core/core.h"

namespace faultline {

Napi::Object ToJs(Napi::Env env, const Events& events, const Core& core);
Napi::Object ToJs(Napi::Env env, const std::vector<Aggregate>& aggregates, const SteadyClock& clock);
Napi::Object ToJs(Napi::Env env, const std::vector<Sample>& samples, const SteadyClock& clock);
Napi::Object ToJs(Napi::Env env, const CoreStats& stats);

}  // namespace faultline
