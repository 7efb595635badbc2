// How far the clocks of ranks are apart, by operations that ended on all of them at one moment.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {

struct Clock {
  std::int64_t ahead_ns;  // of the middle of the ranks that it met
  std::int64_t doubt_ns;  // standard error of that
};

// By node; absent where too few ends were noticed.
std::vector<std::optional<Clock>> clocks_by_ends(const Join& join);

}  // namespace faultline::flight_recorder
