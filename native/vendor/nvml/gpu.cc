// What the library's answers mean for a GPU.
#include "vendor/nvml/gpu.h"

namespace faultline {

void rest_after_timeout(Gpu& gpu, Reporter& reporter) {
  gpu.timed_out = true;
  if (!gpu.rest.timed_out(monotonic_now())) return;
  reporter.event(gpu.identity.seat, "reads_paused", static_cast<double>(gpu.rest.pause_ns()) * 1e-9,
                 "the driver timed out; seconds without reads");
}

CodeClass classify(nvml::Return code) {
  switch (code) {
    case nvml::kSuccess:
      return CodeClass::kOk;
    case nvml::kNotSupported:
    case nvml::kFunctionNotFound:
    case nvml::kDeprecated:
    case nvml::kInvalidArgument:          // also the answer to a field id that the driver is too old for
    case nvml::kArgumentVersionMismatch:
      return CodeClass::kUnsupported;
    case nvml::kGpuIsLost:
    case nvml::kResetRequired:
    case nvml::kGpuNotFound:
      return CodeClass::kDeviceDead;
    case nvml::kUninitialized:
    case nvml::kDriverNotLoaded:
    case nvml::kLibRmVersionMismatch:
      return CodeClass::kLibraryDead;
    case nvml::kUnknown:
      return CodeClass::kUnknown;
    default:
      return CodeClass::kTransient;
  }
}

}  // namespace faultline
