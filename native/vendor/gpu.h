// One GPU as the child keeps it: identity, handle, and what it turned out not to support.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vendor/nvml_library.h"
#include "vendor/reporter.h"

namespace faultline {

struct Gpu {
  DeviceIdentity identity;
  nvml::Device handle = nullptr;
  bool lost = false;
  std::int64_t library_ns = 0;  // time spent inside the library for this GPU since the child started
  std::uint64_t unsupported = 0;  // bit per Metric in sampler.cc
};

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
