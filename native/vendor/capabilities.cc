// Sums up the codes of each group's readings.
#include "vendor/capabilities.h"

namespace faultline {
namespace {

std::string describe(nvml::Return code) {
  const std::string number = " (" + std::to_string(code) + ")";
  switch (code) {
    case nvml::kFunctionNotFound:
      return "not in this library" + number;
    case nvml::kInvalidArgument:
    case nvml::kArgumentVersionMismatch:
      return "unknown to this driver" + number;
    case nvml::kNoPermission:
      return "no permission" + number;
    case nvml::kNotSupported:
    case nvml::kDeprecated:
      return "unsupported" + number;
    default:
      return "fails" + number;
  }
}

// How near to working: a device that refuses knows what is asked for, a library that lacks the call does not.
int nearness(nvml::Return code) {
  if (classify(code) != CodeClass::kUnsupported) return 3;
  if (code == nvml::kNotSupported || code == nvml::kDeprecated) return 2;
  return code == nvml::kFunctionNotFound ? 0 : 1;
}

}  // namespace

std::string capability_text(const Gpu& gpu, Capability group) {
  nvml::Return best = Gpu::kNotAsked;
  for (unsigned reading = 0; reading < kReadings; ++reading) {
    const nvml::Return code = gpu.codes[reading];
    if (code == Gpu::kNotAsked || group_of(reading) != group) continue;
    if (code == nvml::kSuccess) return "works";
    if (best == Gpu::kNotAsked || nearness(code) > nearness(best)) best = code;
  }
  return best == Gpu::kNotAsked ? "" : describe(best);
}

void CapabilityTeller::tell(std::size_t at, const Gpu& gpu, const std::string& links, const std::string& instances) {
  if (gpu.lost) return;
  Texts texts;
  std::size_t last = texts.size();
  for (std::size_t group = 0; group < texts.size(); ++group) {
    std::string& text = texts[group];
    text = capability_text(gpu, static_cast<Capability>(group));
    if (text.empty() && group == static_cast<std::size_t>(Capability::kPowerSmoothing)) {
      text = "not asked: drivers of this version disagree on its field numbers";
    }
    if (group == static_cast<std::size_t>(Capability::kNvlink) && !links.empty()) text = links;
    if (group == static_cast<std::size_t>(Capability::kMig) && text == "works" && !instances.empty()) text = instances;
    if (!text.empty() && text != told_[at][group]) last = group;
  }
  if (last == texts.size()) return;
  for (std::size_t group = 0; group <= last; ++group) {
    if (texts[group].empty() || texts[group] == told_[at][group]) continue;
    reporter_.capability(gpu.identity.seat, static_cast<Capability>(group), texts[group], group != last);
    told_[at][group] = texts[group];
  }
}

}  // namespace faultline
