// `rdmaQueueOwners` as JavaScript sees it.
#pragma once

#include <napi.h>

namespace faultline {

// (done): calls `done(errno or 0, names of devices, pids)` once, on the JavaScript thread; the two lists are of one length.
Napi::Value RdmaQueueOwners(const Napi::CallbackInfo& info);

}  // namespace faultline
