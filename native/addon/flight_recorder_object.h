// `FlightRecorderAnalysis` as JavaScript sees it: one analysis on a thread of its own, its progress and its result.
#pragma once

#include <napi.h>

namespace faultline {

Napi::Function DefineFlightRecorderAnalysis(Napi::Env env);

}  // namespace faultline
