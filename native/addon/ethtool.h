// `ethtoolStatistics` as JavaScript sees it.
#pragma once

#include <napi.h>

namespace faultline {

// (interface, names, done): calls `done(errno or 0, Float64Array)` once, on the JavaScript thread.
Napi::Value EthtoolStatisticsOf(const Napi::CallbackInfo& info);

}  // namespace faultline
