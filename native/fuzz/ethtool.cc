// Fuzzes what a network driver answers through ethtool: counts, names and values as they come.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <linux/ethtool.h>

#include <algorithm>

#include "core/ethtool/statistics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace faultline;
  std::size_t at = 0;
  const auto number = [&] {
    std::uint32_t value = 0;
    const std::size_t taken = std::min(sizeof value, size - at);
    std::memcpy(&value, data + at, taken);
    at += taken;
    return value;
  };
  const auto bytes = [&](void* into, std::size_t most) {
    const std::size_t taken = std::min(most, size - at);
    std::memcpy(into, data + at, taken);
    at += taken;
  };
  const EthtoolCall driver = [&](const std::string&, void* request) {
    std::uint32_t command = 0;
    std::memcpy(&command, request, sizeof command);
    if (command == ETHTOOL_GSSET_INFO) {
      static_cast<ethtool_sset_info*>(request)->data[0] = number();
    } else if (command == ETHTOOL_GSTRINGS) {
      auto* strings = static_cast<ethtool_gstrings*>(request);
      strings->len = number();
      bytes(&strings->data[0], std::size_t{2} * kMostStatistics * ETH_GSTRING_LEN);
    } else {
      auto* stats = static_cast<ethtool_stats*>(request);
      stats->n_stats = number();
      bytes(&stats->data[0], std::size_t{2} * kMostStatistics * sizeof(std::uint64_t));
    }
    return 0;
  };
  const std::vector<std::string> names{"rx_prio0_pause", "a", ""};
  const EthtoolStatistics read = read_ethtool_statistics("eth0", names, driver);
  if (read.error == 0 && read.values.size() != names.size()) std::abort();
  for (const double value : read.values) {
    if (!std::isnan(value) && !(value >= 0)) std::abort();
  }
  return 0;
}
