// Statistics by name through ethtool: against a stand-in for the kernel that writes as it does, and the real one.
#include "core/ethtool/statistics.h"

#include <linux/ethtool.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "check.h"

using namespace faultline;
using checks::test;

namespace {

// Writes as many entries as it has, whatever the caller has room for, as the kernel does.
struct FakeDriver {
  std::vector<std::string> names;
  std::vector<std::uint64_t> values;
  std::uint32_t counted = 0;  // what it says beforehand; 0: as many as it has
  int fails = 0;
  std::uint32_t fails_at = 0;
  bool without_set = false;

  int operator()(const std::string&, void* data) const {
    std::uint32_t command = 0;
    std::memcpy(&command, data, sizeof command);
    if (fails != 0 && (fails_at == 0 || fails_at == command)) return fails;
    switch (command) {
      case ETHTOOL_GSSET_INFO: {
        auto* info = static_cast<ethtool_sset_info*>(data);
        if (without_set) info->sset_mask = 0;
        else info->data[0] = counted != 0 ? counted : static_cast<std::uint32_t>(names.size());
        return 0;
      }
      case ETHTOOL_GSTRINGS: {
        auto* strings = static_cast<ethtool_gstrings*>(data);
        strings->len = static_cast<std::uint32_t>(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) std::memcpy(strings->data + i * ETH_GSTRING_LEN, names[i].data(), std::min<std::size_t>(names[i].size(), ETH_GSTRING_LEN));
        return 0;
      }
      case ETHTOOL_GSTATS: {
        auto* stats = static_cast<ethtool_stats*>(data);
        stats->n_stats = static_cast<std::uint32_t>(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&stats->data[i], &values[i], sizeof values[i]);
        return 0;
      }
      default:
        return EOPNOTSUPP;
    }
  }
};

EthtoolStatistics read(const FakeDriver& driver, std::vector<std::string> names) {
  return read_ethtool_statistics("eth0", names, driver);
}

void statistics() {
  test("what was asked for comes in its order, names that end in spaces are the same, the rest is absent", [] {
    const FakeDriver driver{{"rx_packets", "tx_pause_storm_warning_events ", "rx_prio3_pause_duration"}, {7, 2, 1'500'000}};
    const EthtoolStatistics read_now = read(driver, {"rx_prio3_pause_duration", "tx_pause_storm_warning_events", "module_high_temp"});
    CHECK_EQ(read_now.error, 0);
    CHECK_EQ(read_now.values.size(), 3U);
    CHECK_EQ(read_now.values[0], 1'500'000.0);
    CHECK_EQ(read_now.values[1], 2.0);
    CHECK(std::isnan(read_now.values[2]));
  });

  test("a value with all its bits set is absent, and a name of full length is a name", [] {
    const FakeDriver driver{{"a", std::string(ETH_GSTRING_LEN, 'b')}, {~0ULL, 5}};
    const EthtoolStatistics read_now = read(driver, {"a", std::string(ETH_GSTRING_LEN, 'b')});
    CHECK(std::isnan(read_now.values[0]));
    CHECK_EQ(read_now.values[1], 5.0);
  });

  test("a driver that grew between the questions overflows nothing, and is asked again", [] {
    FakeDriver driver{std::vector<std::string>(kMostStatistics + 4000, "x"), std::vector<std::uint64_t>(kMostStatistics + 4000, 1), 3};
    CHECK_EQ(read(driver, {"x"}).error, EAGAIN);
    FakeDriver halves{{"x"}, {1, 2}};
    CHECK_EQ(read(halves, {"x"}).error, EAGAIN);
  });

  test("none, too many, and every refusal of the kernel are reported by their number", [] {
    FakeDriver many{{"x"}, {1}, kMostStatistics + 1};
    CHECK_EQ(read(many, {"x"}).error, EOVERFLOW);
    FakeDriver none;
    none.without_set = true;
    CHECK_EQ(read(none, {"x"}).error, EOPNOTSUPP);
    CHECK_EQ(read(FakeDriver{}, {"x"}).error, EOPNOTSUPP);
    for (const std::uint32_t command : {ETHTOOL_GSSET_INFO, ETHTOOL_GSTRINGS, ETHTOOL_GSTATS}) {
      FakeDriver refuses{{"x"}, {1}, 0, EINVAL, command};
      CHECK_EQ(read(refuses, {"x"}).error, EINVAL);
    }
  });

  test("the kernel has no statistics of the loopback interface, and no interface of another name", [] {
    CHECK_EQ(read_ethtool_statistics("lo", {"x"}, ethtool_ioctl).error, EOPNOTSUPP);
    CHECK_EQ(read_ethtool_statistics("no-such-if", {"x"}, ethtool_ioctl).error, ENODEV);
    CHECK_EQ(read_ethtool_statistics("", {"x"}, ethtool_ioctl).error, ENODEV);
    CHECK_EQ(read_ethtool_statistics(std::string(200, 'a'), {"x"}, ethtool_ioctl).error, ENODEV);
  });
}

}  // namespace

int main() {
  statistics();
  return checks::result();
}
