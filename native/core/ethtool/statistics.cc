// Asks for count, names and values, one after the other, by ioctl.
#include "core/ethtool/statistics.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>

namespace faultline {
namespace {

// The kernel writes as many entries as the driver has at that moment, whatever was asked for: queues may have been added
// since the count was taken, so there is room for twice the most that is accepted.
constexpr std::uint32_t kRoom = 2 * kMostStatistics;

// Zeroed, and aligned for the 64-bit values that follow the header.
std::unique_ptr<std::uint64_t[]> buffer_of(std::size_t header, std::size_t each) {
  return std::make_unique<std::uint64_t[]>((header + each * kRoom) / sizeof(std::uint64_t) + 1);
}

int count_of(const std::string& interface, const EthtoolCall& call, std::uint32_t& count) {
  std::uint64_t room[(sizeof(ethtool_sset_info) + sizeof(std::uint32_t)) / sizeof(std::uint64_t) + 1]{};
  auto* info = reinterpret_cast<ethtool_sset_info*>(&room[0]);
  info->cmd = ETHTOOL_GSSET_INFO;
  info->sset_mask = 1ULL << ETH_SS_STATS;
  if (const int error = call(interface, info)) return error;
  if (info->sset_mask == 0) return EOPNOTSUPP;  // it has no such set
  count = info->data[0];
  return count > kMostStatistics ? EOVERFLOW : count == 0 ? EOPNOTSUPP : 0;
}

std::string_view name_at(const ethtool_gstrings& strings, std::uint32_t index) {
  const char* text = reinterpret_cast<const char*>(&strings.data[0]) + std::size_t{index} * ETH_GSTRING_LEN;
  std::string_view name(text, strnlen(text, ETH_GSTRING_LEN));
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return name;
}

}  // namespace

EthtoolStatistics read_ethtool_statistics(const std::string& interface, const std::vector<std::string>& names,
                                          const EthtoolCall& call) {
  EthtoolStatistics result;
  std::uint32_t count = 0;
  if ((result.error = count_of(interface, call, count)) != 0) return result;
  const auto string_room = buffer_of(sizeof(ethtool_gstrings), ETH_GSTRING_LEN);
  auto* strings = reinterpret_cast<ethtool_gstrings*>(string_room.get());
  strings->cmd = ETHTOOL_GSTRINGS;
  strings->string_set = ETH_SS_STATS;
  strings->len = count;
  if ((result.error = call(interface, strings)) != 0) return result;
  const auto value_room = buffer_of(sizeof(ethtool_stats), sizeof(std::uint64_t));
  auto* stats = reinterpret_cast<ethtool_stats*>(value_room.get());
  stats->cmd = ETHTOOL_GSTATS;
  stats->n_stats = count;
  if ((result.error = call(interface, stats)) != 0) return result;
  // Names and values of two moments, between which the driver changed its set, do not belong together.
  if (strings->len != stats->n_stats || strings->len > kMostStatistics) {
    result.error = EAGAIN;
    return result;
  }
  result.values.assign(names.size(), std::nan(""));
  for (std::uint32_t at = 0; at < strings->len; ++at) {
    const std::string_view name = name_at(*strings, at);
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::uint64_t value = 0;
      std::memcpy(&value, &stats->data[at], sizeof value);
      if (name == names[i] && value != std::numeric_limits<std::uint64_t>::max()) result.values[i] = static_cast<double>(value);
    }
  }
  return result;
}

int ethtool_ioctl(const std::string& interface, void* data) {
  if (interface.empty() || interface.size() >= IFNAMSIZ) return ENODEV;
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  ifreq request{};
  std::memcpy(&request.ifr_name[0], interface.data(), interface.size());
  request.ifr_data = static_cast<char*>(data);
  const int error = ioctl(fd, SIOCETHTOOL, &request) == 0 ? 0 : errno;
  close(fd);
  return error;
}

}  // namespace faultline
