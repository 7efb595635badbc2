// Reports the groups whose outcome changed, all of a device in one go.
#include "vendor/capabilities.h"

namespace faultline {

void CapabilityReporter::report(std::size_t at, const VendorDevice& device) {
  if (device.lost) return;
  Texts texts;
  std::size_t last = texts.size();
  for (std::size_t group = 0; group < texts.size(); ++group) {
    texts[group] = backend_.capability(device, static_cast<Capability>(group));
    if (!texts[group].empty() && texts[group] != reported_[at][group]) last = group;
  }
  if (last == texts.size()) return;
  for (std::size_t group = 0; group <= last; ++group) {
    if (texts[group].empty() || texts[group] == reported_[at][group]) continue;
    reporter_.capability(device.identity.seat, static_cast<Capability>(group), texts[group], group != last);
    reported_[at][group] = texts[group];
  }
}

}  // namespace faultline
