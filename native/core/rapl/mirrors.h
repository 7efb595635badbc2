// Dies whose energy counters are one and the same: AMD names one package zone a die and shows the socket's counter in each.
#pragma once

#include <vector>

#include "core/rapl/zones.h"

namespace faultline {

// Drops all but the first of the mirrored dies of a package, sub-zones included; the one that stays stands for the package.
// A counter that cannot be read, or is at zero, mirrors nothing.
std::vector<ZonePlace> without_mirrors(std::vector<ZonePlace> places);

}  // namespace faultline
