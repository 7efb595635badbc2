// Finds the RAPL zones of a sysfs tree: which folders, what each is, and under which key its readings go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace faultline {

struct ZonePlace {
  std::string folder;     // as listed: <sysRoot>/class/powercap/intel-rapl:0
  std::string real_path;  // what it leads to
  std::string component;  // "cpu/<host>/0", "host/<host>"
  std::string prefix;     // of its quantities: "" for a package, "dram_", "core_", "uncore_", "platform_"
  bool die = false;       // of one die of a package: its id is "<package>.<die>"
  bool operator==(const ZonePlace&) const = default;
};

// Zones in name order, each physical zone once: intel-rapl before its intel-rapl-mmio twin. Empty when there is no tree.
std::vector<ZonePlace> find_zones(const std::string& sys_root, std::string_view host);

// "package-1-die-2" gives "1.2", "package-1" gives "1"; any other name is passed on with unsafe characters replaced.
std::string package_id(std::string_view zone_name);

}  // namespace faultline
