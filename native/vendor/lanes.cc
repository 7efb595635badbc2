// Two budgets, so that the dear slow lane does not stretch the cheap fast one.
#include "vendor/lanes.h"

#include <algorithm>
#include <utility>

namespace faultline {

std::int64_t Lanes::wanted(std::int64_t asked_ns) const {
  return std::max(std::clamp(asked_ns, kShortestIntervalNs, kLongestIntervalNs), refresh_ns_);
}

std::int64_t Lanes::interval_ns(std::int64_t asked_ns) const { return std::max(wanted(asked_ns), stretched_ns_); }

void Lanes::slow_begins(std::int64_t now_ns, std::int64_t spent_ns) {
  const std::int64_t pass_ns = std::max<std::int64_t>(0, spent_ns - std::exchange(fast_since_slow_ns_, 0));
  // Nothing came before the first pass.
  const bool measured = std::exchange(slow_began_, true);
  slow_due_ns_ = now_ns + (measured ? slow_.next_interval_ns(kSlowIntervalNs, pass_ns) : kSlowIntervalNs);
}

std::int64_t Lanes::after_round(std::int64_t asked_ns, std::int64_t worst_spent_ns) {
  fast_since_slow_ns_ += worst_spent_ns;
  const std::int64_t interval = fast_.next_interval_ns(wanted(asked_ns), worst_spent_ns);
  stretched_ns_ = fast_.throttled() ? interval : 0;
  return interval;
}

}  // namespace faultline
