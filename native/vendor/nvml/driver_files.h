// The files of NVIDIA's driver that a confined child keeps.
#pragma once

#include "vendor/backend.h"

namespace faultline::nvml {

DriverFiles driver_files(const std::string& library);

}  // namespace faultline::nvml
