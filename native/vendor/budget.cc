// Stretches the interval when the smoothed cost goes over the share, and takes it back with hysteresis.
#include "vendor/budget.h"

#include <algorithm>

#include "core/vendor/protocol.h"

namespace faultline {
namespace {

constexpr double kShare = 0.01;
constexpr double kSmoothing = 0.2;  // one slow call among many fast ones does not stretch the interval
constexpr double kReturnAt = 0.5;

}  // namespace

std::int64_t Budget::next_interval_ns(std::int64_t wanted_ns, std::int64_t worst_spent_ns) {
  const auto spent = static_cast<double>(worst_spent_ns);
  // The first round opens caches in the driver and says nothing about the next.
  smoothed_ns_ = first_ ? 0 : smoothed_ns_ + kSmoothing * (spent - smoothed_ns_);
  first_ = false;
  const auto needed = static_cast<std::int64_t>(smoothed_ns_ / kShare);
  throttled_ = throttled_ ? static_cast<double>(needed) > kReturnAt * static_cast<double>(wanted_ns) : needed > wanted_ns;
  return throttled_ ? std::clamp(needed, wanted_ns, std::max(wanted_ns, kLongestIntervalNs)) : wanted_ns;
}

}  // namespace faultline
