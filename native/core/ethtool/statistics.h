// The statistics that a network driver gives by name through ethtool; sysfs does not have them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace faultline {

// One ethtool command (linux/ethtool.h) for an interface: 0, or the errno that it failed with. `data` begins with the command.
using EthtoolCall = std::function<int(const std::string& interface, void* data)>;

struct EthtoolStatistics {
  int error = 0;  // errno; there are no values then
  // In the order of what was asked for; NaN for what the driver does not have, or is at its type's end.
  std::vector<double> values;
};

// A driver that names more than this many is not read: it would take longer than a reading may.
inline constexpr std::uint32_t kMostStatistics = 16'384;

// Reads them all, as there is no other way, and keeps those with `names` (without the spaces that some drivers end names
// with). Blocks as long as the driver does: the kernel holds its network lock meanwhile.
EthtoolStatistics read_ethtool_statistics(const std::string& interface, const std::vector<std::string>& names,
                                          const EthtoolCall& call);

// The kernel's.
int ethtool_ioctl(const std::string& interface, void* data);

}  // namespace faultline
