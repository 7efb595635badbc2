// Finds out at start how often the GPUs' sensors change and what a read costs, so that nothing is read faster than it changes.
#pragma once

#include <cstdint>
#include "vendor/backend.h"

namespace faultline {

struct Calibration {
  std::int64_t refresh_ns = 0;  // of the slowest sensor among the GPUs; 0 unknown
  std::int64_t read_p99_ns = 0;  // one batched read, by our clock
  std::int64_t reported_us = 0;  // the longest that the library itself says a read took (latencyUsec)
  unsigned reads = 0;
};

// Takes at most a quarter of a second, and for each GPU at most what it may cost in two seconds.
Calibration calibrate(Backend& backend, CallContext& calls, const VendorDevices& devices);

}  // namespace faultline
