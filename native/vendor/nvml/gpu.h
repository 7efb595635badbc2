// One GPU as NVML gives it: its handle, and what it turned out not to support.
#pragma once

#include <array>

#include "vendor/device.h"
#include "vendor/nvml/library.h"
#include "vendor/nvml/readings.h"

namespace faultline::nvml {

struct Gpu : VendorDevice {
  Device handle = nullptr;
  double temperature = kUnknown;         // Cel, the last reading
  double memory_temperature = kUnknown;  // Cel
  // What each reading answered last; kNotAsked at first.
  std::array<Return, kReadings> codes = not_asked();

  static constexpr Return kNotAsked = -1;
  static constexpr std::array<Return, kReadings> not_asked() {
    std::array<Return, kReadings> codes{};
    codes.fill(kNotAsked);
    return codes;
  }
};

}  // namespace faultline::nvml
