// One GPU as the child keeps it: identity, handle, and what it turned out not to support.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "vendor/nvml_library.h"
#include "vendor/readings.h"
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

// Devices that a stuck call forbids: by PCI address, and by index so that the device is not even opened.
class ExcludedDevices {
 public:
  // "pci@index" items with commas; either part may be empty. "-" is none.
  explicit ExcludedDevices(std::string_view list);
  bool index(std::uint32_t index) const;
  bool pci(std::string_view address) const;

 private:
  std::vector<std::pair<std::string, std::uint32_t>> items_;
};

struct Inventory {
  std::vector<Gpu> gpus;
  unsigned seen = 0;             // what the driver counts, excluded ones included
  nvml::Return worst = nvml::kSuccess;  // why a device could not be opened, the last one
  bool library_dead = false;
};

// Lists the devices and reports each; a device that cannot be opened is reported lost and the others go on.
Inventory take_inventory(const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter, const ExcludedDevices& excluded,
                         const std::string& driver);

// "00000000:1B:00.0" as "0000:1b:00.0": lower case, domain of four digits where it fits.
std::string canonical_pci(const nvml::PciInfo& info);

}  // namespace faultline
