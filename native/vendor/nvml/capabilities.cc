// Sums up the codes of each group's readings.
#include "vendor/nvml/backend.h"

namespace faultline::nvml {
namespace {

std::string describe(Return code) {
  const std::string number = " (" + std::to_string(code) + ")";
  switch (code) {
    case kFunctionNotFound:
      return "not in this library" + number;
    case kInvalidArgument:
    case kArgumentVersionMismatch:
      return "unknown to this driver" + number;
    case kNoPermission:
      return "no permission" + number;
    case kNotSupported:
    case kDeprecated:
      return "unsupported" + number;
    default:
      return "fails" + number;
  }
}

// How near to working: a device that refuses knows what is asked for, a library that lacks the call does not.
int nearness(Return code) {
  if (outcome_of(code) != Outcome::kUnsupported) return 3;
  if (code == kNotSupported || code == kDeprecated) return 2;
  return code == kFunctionNotFound ? 0 : 1;
}

// "works", or what the reading that came nearest to it answered.
std::string group_text(const Gpu& gpu, Capability group) {
  Return best = Gpu::kNotAsked;
  for (unsigned reading = 0; reading < kReadings; ++reading) {
    const Return code = gpu.codes[reading];
    if (code == Gpu::kNotAsked || group_of(reading) != group) continue;
    if (code == kSuccess) return "works";
    if (best == Gpu::kNotAsked || nearness(code) > nearness(best)) best = code;
  }
  return best == Gpu::kNotAsked ? "" : describe(best);
}

}  // namespace

std::string NvmlBackend::capability(const VendorDevice& device, Capability group) const {
  const auto& gpu = static_cast<const MonitoredGpu&>(device);
  const std::string text = group_text(gpu, group);
  switch (group) {
    case Capability::kPowerSmoothing:
      return text.empty() ? "not asked: drivers of this version disagree on its field numbers" : text;
    case Capability::kNvlink: {
      const std::string links = gpu.links.text();
      return links.empty() ? text : links;
    }
    case Capability::kMig:
      return text == "works" ? gpu.instances.text() : text;
    default:
      return text;
  }
}

}  // namespace faultline::nvml
