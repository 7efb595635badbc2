// Dies whose energy counters are one and the same: AMD names one package zone a die and shows the socket's counter in each.
#include "core/rapl/mirrors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "core/rapl/attribute.h"

namespace faultline {
namespace {

// "cpu/h/1.2" gives "cpu/h/1"; nothing for what is not a package zone of a die.
std::optional<std::string> package_of(const ZonePlace& place) {
  if (!place.prefix.empty() || !place.die) return std::nullopt;
  return place.component.substr(0, place.component.rfind('.'));
}

std::optional<std::uint64_t> energy(const ZonePlace& place) { return read_number(place.folder + "/energy_uj"); }

// Read in between two readings of the other, a mirror lies between them; counters of two dies meet once in 10^8 looks.
bool mirrored(const ZonePlace& first, const ZonePlace& other) {
  const auto before = energy(first);
  const auto between = energy(other);
  const auto after = energy(first);
  if (!before || !between || !after || *between == 0) return false;
  if (*before <= *after) return *before <= *between && *between <= *after;
  return *between >= *before || *between <= *after;  // the counter wrapped meanwhile
}

}  // namespace

std::vector<ZonePlace> without_mirrors(std::vector<ZonePlace> places) {
  std::map<std::string, std::vector<const ZonePlace*>> dies;
  for (const ZonePlace& place : places) {
    if (const auto package = package_of(place)) dies[*package].push_back(&place);
  }
  std::map<std::string, std::string> renamed;  // component to what it becomes; empty: dropped
  for (const auto& entry : dies) {
    const std::vector<const ZonePlace*>& zones = entry.second;
    const bool all = zones.size() > 1 && std::all_of(zones.begin() + 1, zones.end(), [&](const ZonePlace* zone) {
                       return mirrored(*zones.front(), *zone);
                     });
    if (!all) continue;
    for (const ZonePlace* zone : zones) renamed[zone->component] = zone == zones.front() ? entry.first : std::string();
  }
  if (renamed.empty()) return places;
  std::erase_if(places, [&](ZonePlace& place) {
    const auto found = renamed.find(place.component);
    if (found == renamed.end()) return false;
    place.component = found->second;
    place.die = false;
    return place.component.empty();
  });
  return places;
}

}  // namespace faultline
