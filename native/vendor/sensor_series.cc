// Counts changes between the first and the last.
#include "vendor/sensor_series.h"

namespace faultline {
namespace {

constexpr unsigned kFewestChanges = 3;
// A value that changes less often belongs to an idle GPU, not to a slow sensor.
constexpr std::int64_t kSlowestNs = 200'000'000;

}  // namespace

void SensorSeries::add(std::int64_t now_ns, double value) {
  if (any_ && value != last_) {
    if (changes_++ == 0) first_change_ns_ = now_ns;
    last_change_ns_ = now_ns;
  }
  any_ = true;
  last_ = value;
}

std::int64_t SensorSeries::refresh_ns() const {
  if (changes_ < kFewestChanges) return 0;
  const std::int64_t period = (last_change_ns_ - first_change_ns_) / (changes_ - 1);
  return period <= kSlowestNs ? period : 0;
}

}  // namespace faultline
