// Limits of what a GPU can be, by the quantity's unit.
#include "core/vendor/plausible.h"

#include <cmath>

namespace faultline {
namespace {

constexpr double kMostWatts = 20'000;  // a superchip has 2.8 kW; 4.29 MW is 0xffffffff mW that lost its bits on the way
constexpr double kColdest = -60, kHottest = 250;
constexpr double kMostOfAll = 1.001;  // a ratio with its rounding
constexpr double kSlowestState = 15;

}  // namespace

bool is_plausible(Quantity quantity, double value) {
  if (!std::isfinite(value)) return false;
  switch (unit_of(quantity)) {
    case Unit::kCelsius:
      return value >= kColdest && value <= kHottest;
    case Unit::kWatt:
      return value >= 0 && value <= kMostWatts;
    case Unit::kRatio:
      return value >= 0 && value <= kMostOfAll;
    case Unit::kPerformanceState:
      return value >= 0 && value <= kSlowestState;
    default:
      return value >= 0;
  }
}

}  // namespace faultline
