// One GPU as the child keeps it: identity, handle, and what it turned out not to support.
#pragma once

#include <array>
#include <limits>

#include "vendor/nvml/library.h"
#include "vendor/nvml/readings.h"
#include "vendor/reporter.h"
#include "vendor/rest.h"
#include "vendor/work_watch.h"

namespace faultline {

struct Gpu {
  DeviceIdentity identity;
  nvml::Device handle = nullptr;
  bool lost = false;
  bool timed_out = false;  // in this round: the rest of its calls is left out
  Rest rest;               // after timeouts
  double temperature = kUnknown;         // Cel, the last reading
  double memory_temperature = kUnknown;  // Cel
  double memory_used = kUnknown;         // bytes
  WorkWatch work;
  bool processes_due = false;  // other processes may be on it than were read last
  bool instances_due = false;  // the driver told that MIG splits it otherwise
  std::int64_t library_ns = 0;  // time spent inside the library for this GPU since the child started
  // What each reading answered last; kNotAsked at first.
  std::array<nvml::Return, kReadings> codes = not_asked();

  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  static constexpr nvml::Return kNotAsked = -1;
  static constexpr std::array<nvml::Return, kReadings> not_asked() {
    std::array<nvml::Return, kReadings> codes{};
    codes.fill(kNotAsked);
    return codes;
  }
};

// Has the device left alone for a while after a timeout of the driver, and says so.
void rest_after_timeout(Gpu& gpu, Reporter& reporter);

// What a return code asks for (grouping of nvmlReturn_t).
enum class CodeClass { kOk, kUnsupported, kDeviceDead, kLibraryDead, kUnknown, kTransient };
CodeClass classify(nvml::Return code);

}  // namespace faultline
