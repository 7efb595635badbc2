// Limits of what a GPU can be, in SI units.
#include "core/vendor/plausible.h"

#include <cmath>

namespace faultline {
namespace {

constexpr double kMostWatts = 20'000;  // a superchip has 2.8 kW; 4.29 MW is 0xffffffff mW that lost its bits on the way
constexpr double kColdest = -60, kHottest = 250;
constexpr double kMostOfAll = 1.001;  // a ratio with its rounding

}  // namespace

bool is_plausible(Quantity quantity, double value) {
  if (!std::isfinite(value)) return false;
  switch (quantity) {
    case Quantity::kTemperature:
    case Quantity::kMemoryTemperature:
    case Quantity::kTemperatureLimit:
    case Quantity::kMarginGpu:
    case Quantity::kMarginMemory:
    case Quantity::kMarginSlowdown:
    case Quantity::kMarginShutdown:
      return value >= kColdest && value <= kHottest;
    case Quantity::kPower:
    case Quantity::kPowerLimit:
    case Quantity::kPowerLimitDefault:
    case Quantity::kPowerLimitMin:
    case Quantity::kPowerLimitMax:
    case Quantity::kPowerLimitRequested:
    case Quantity::kPowerSmoothingCeiling:
    case Quantity::kPowerSmoothingFloor:
      return value >= 0 && value <= kMostWatts;
    case Quantity::kUtilization:
    case Quantity::kSmUtilization:
    case Quantity::kSmOccupancy:
    case Quantity::kTensorUtilization:
    case Quantity::kDramUtilization:
    case Quantity::kPowerSmoothingLifetime:
      return value >= 0 && value <= kMostOfAll;
    default:
      return value >= 0;
  }
}

}  // namespace faultline
