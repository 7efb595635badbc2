// Fuzzes the RAPL zone tree: each line of the input writes one file ("<zone><file><text>"), an empty line reads the tree.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/rapl/rapl.h"
#include "fuzz/watching_sink.h"
#include "test/temporary_folder.h"

namespace {

constexpr std::array<const char*, 8> kZones = {"intel-rapl:0",   "intel-rapl:1",      "intel-rapl:2",      "intel-rapl:0:0",
                                               "intel-rapl:0:1", "intel-rapl:0:0:0", "intel-rapl-mmio:0", "intel-rapl:x"};
constexpr std::array<const char*, 8> kFiles = {"name",
                                               "energy_uj",
                                               "max_energy_range_uj",
                                               "constraint_0_name",
                                               "constraint_0_power_limit_uw",
                                               "constraint_0_max_power_uw",
                                               "constraint_0_time_window_us",
                                               "constraint_1_name"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace faultline;
  static const TemporaryFolder tree;
  std::filesystem::remove_all(tree.path("class"));
  Rapl rapl(std::make_shared<WatchingSink>(), {tree.root(), "h", 1'000'000'000});
  std::int64_t now_ns = 0;
  std::string_view text(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 2048));
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.size() < 2) {
      rapl.round(now_ns += 3'000'000'000);
      continue;
    }
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(line[i]) % 8; };
    tree.write(std::string("class/powercap/") + kZones[at(0)] + "/" + kFiles[at(1)], std::string(line.substr(2)));
  }
  for (int i = 0; i < 3; ++i) rapl.round(now_ns += 3'000'000'000);
  return 0;
}
