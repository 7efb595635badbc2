// Finds the RAPL zones of a sysfs tree: which folders, what each is, and under which key its readings go.
#include "core/rapl/zones.h"

#include <dirent.h>
#include <stdlib.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "core/rapl/attribute.h"

namespace faultline {
namespace {

constexpr std::size_t kMaxZones = 256;
constexpr std::size_t kMaxIdBytes = 64;

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// Takes the digits at the start, at most nine.
std::string_view take_digits(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  if (end > 9) return {};
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

std::string safe(std::string_view name) {
  std::string id(name.substr(0, kMaxIdBytes));
  for (char& c : id) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.';
    if (!plain) c = '_';
  }
  return id.empty() ? "unknown" : id;
}

struct Listed {
  std::string entry;  // "intel-rapl:0:1"
  std::string name;   // "dram"
  std::string real_path;
};

// "intel-rapl:0:1" and "intel-rapl-mmio:0:1" lie under "intel-rapl:0" and "intel-rapl-mmio:0".
std::string parent_entry(const std::string& entry) {
  const std::size_t first = entry.find(':');
  const std::size_t last = entry.rfind(':');
  return last == first ? std::string() : entry.substr(0, last);
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), ::free);
  return resolved ? resolved.get() : path;
}

std::vector<Listed> list(const std::string& folder) {
  std::vector<Listed> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), ::closedir);
  if (!dir) return found;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string_view name = entry->d_name;
    if (!starts_with(name, "intel-rapl:") && !starts_with(name, "intel-rapl-mmio:")) continue;
    const auto zone_name = read_text(folder + "/" + entry->d_name + "/name");
    if (!zone_name || found.size() >= kMaxZones) continue;
    found.push_back({entry->d_name, *zone_name, real_path(folder + "/" + entry->d_name)});
  }
  // '-' sorts before ':': put intel-rapl first, so that its mmio twin is the one left out.
  std::sort(found.begin(), found.end(), [](const Listed& a, const Listed& b) {
    const bool a_twin = starts_with(a.entry, "intel-rapl-mmio:");
    const bool b_twin = starts_with(b.entry, "intel-rapl-mmio:");
    return a_twin != b_twin ? b_twin : a.entry < b.entry;
  });
  return found;
}

// Where a sub-zone's readings go; top-level zones stand for themselves.
ZonePlace place(const Listed& zone, const std::string& top_name, std::string_view host) {
  ZonePlace placed;
  placed.real_path = zone.real_path;
  const bool is_top = parent_entry(zone.entry).empty();
  if (is_top && zone.name == "psys") {
    placed.component = "host/" + std::string(host);
    placed.prefix = "platform_";
    return placed;
  }
  const std::string id = package_id(top_name);
  placed.component = "cpu/" + std::string(host) + "/" + id;
  placed.die = starts_with(top_name, "package-") && !starts_with(id, "package-") && id.find('.') != std::string::npos;
  if (!is_top) placed.prefix = safe(zone.name) + "_";
  return placed;
}

}  // namespace

std::string package_id(std::string_view zone_name) {
  if (starts_with(zone_name, "package-")) {
    std::string_view rest = zone_name.substr(8);
    const std::string_view package = take_digits(rest);
    if (!package.empty() && rest.empty()) return std::string(package);
    if (!package.empty() && starts_with(rest, "-die-")) {
      rest.remove_prefix(5);
      const std::string_view die = take_digits(rest);
      if (!die.empty() && rest.empty()) return std::string(package) + "." + std::string(die);
    }
  }
  return safe(zone_name);
}

std::vector<ZonePlace> find_zones(const std::string& sys_root, std::string_view host) {
  const std::string folder = sys_root + "/class/powercap";
  const std::vector<Listed> listed = list(folder);
  std::map<std::string, std::string> names;
  for (const Listed& zone : listed) names[zone.entry] = zone.name;
  std::vector<ZonePlace> places;
  std::set<std::string> seen_paths;
  std::set<std::string> seen_keys;
  for (const Listed& zone : listed) {
    const std::string parent = parent_entry(zone.entry);
    const auto known = names.find(parent);
    const std::string top_name = known == names.end() ? zone.name : known->second;
    ZonePlace placed = place(zone, top_name, host);
    placed.folder = folder + "/" + zone.entry;
    if (!seen_paths.insert(zone.real_path).second) continue;
    if (!seen_keys.insert(placed.component + "#" + placed.prefix).second) continue;
    places.push_back(std::move(placed));
  }
  return places;
}

}  // namespace faultline
