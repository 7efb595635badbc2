// Which devices there are: those that are known are opened by their address, the others by whatever index they have.
#pragma once

#include <string>
#include <vector>

#include "vendor/nvml/gpu.h"
#include "vendor/known_devices.h"

namespace faultline {

struct Inventory {
  std::vector<Gpu> gpus;
  unsigned seen = 0;             // what the driver counts, those that are left alone included
  nvml::Return worst = nvml::kSuccess;  // why a device could not be opened, the last one
  bool library_dead = false;
};

// Opens the devices and reports each; one that cannot be opened is reported lost and the others go on.
Inventory take_inventory(const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter, const KnownDevices& known,
                         const std::string& driver);

// "00000000:1B:00.0" as "0000:1b:00.0": lower case, domain of four digits where it fits.
std::string canonical_pci(const nvml::PciInfo& info);

}  // namespace faultline
