// `parseKernelRecord` as JavaScript sees it.
#pragma once

#include <napi.h>

namespace faultline {

// (record): what the reader of the kernel log makes of one record of /dev/kmsg, or null for what is not in its form.
Napi::Value ParseKernelRecord(const Napi::CallbackInfo& info);

}  // namespace faultline
