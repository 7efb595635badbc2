// Which devices there are: those that are known are opened by their address, the others by whatever index they have.
#pragma once

#include <string>

#include "vendor/backend.h"
#include "vendor/known_devices.h"

namespace faultline {

struct Inventory {
  VendorDevices devices;
  unsigned seen = 0;  // what the driver counts, those that are left alone included
  Answer worst;       // why a device could not be opened, the last one
  bool library_dead = false;
};

// Opens the devices and reports each; one that cannot be opened is reported lost and the others stay.
Inventory take_inventory(Backend& backend, Reporter& reporter, const KnownDevices& known, const std::string& driver);

}  // namespace faultline
