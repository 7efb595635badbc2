// One GPU as the child keeps it: who it is, and how it does. A backend adds what it needs by a class of its own.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "vendor/reporter.h"
#include "vendor/rest.h"
#include "vendor/work_watch.h"

namespace faultline {

struct VendorDevice {
  VendorDevice() = default;
  VendorDevice(const VendorDevice&) = delete;
  VendorDevice& operator=(const VendorDevice&) = delete;
  virtual ~VendorDevice() = default;

  DeviceIdentity identity;
  bool lost = false;
  bool timed_out = false;  // in this round: the rest of its calls is left out
  Rest rest;               // after timeouts
  double memory_used = kUnknown;  // bytes, the last reading
  WorkWatch work;
  bool processes_due = false;  // other processes may be on it than were read last
  bool parts_due = false;      // the driver reported that it is split into other parts
  std::int64_t library_ns = 0;  // time spent inside the library for this GPU since the child started

  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
};

using VendorDevices = std::vector<std::unique_ptr<VendorDevice>>;

// Leaves the device alone for a while after a timeout of the driver, and reports it.
void rest_after_timeout(VendorDevice& device, Reporter& reporter);

}  // namespace faultline
