// Stretches the interval when the cost of a round goes over the share, and takes it back with hysteresis.
#include "vendor/budget.h"

#include <algorithm>

namespace faultline {
namespace {

// What was slow five minutes ago has passed, unless so few rounds fit into them that they say nothing.
constexpr std::int64_t kMemoryNs = 300'000'000'000;
constexpr std::int64_t kFewestRounds = 16;
constexpr double kReturnAt = 0.5;

}  // namespace

std::int64_t Budget::next_interval_ns(std::int64_t wanted_ns, std::int64_t worst_spent_ns) {
  if (first_) {
    // The first round opens caches in the driver and says nothing about the next.
    first_ = false;
  } else {
    spent_[rounds_++ % kMostRounds] = worst_spent_ns;
  }
  const std::int64_t interval = std::max<std::int64_t>({interval_ns_, wanted_ns, 1});
  const auto remembered = std::clamp(kMemoryNs / interval, kFewestRounds, static_cast<std::int64_t>(kMostRounds));
  p99_ns_ = percentile_of_last(static_cast<std::size_t>(remembered));
  const auto needed = static_cast<std::int64_t>(static_cast<double>(p99_ns_) / share_);
  throttled_ = throttled_ ? static_cast<double>(needed) > kReturnAt * static_cast<double>(wanted_ns) : needed > wanted_ns;
  interval_ns_ = throttled_ ? std::clamp(needed, wanted_ns, std::max(wanted_ns, longest_ns_)) : wanted_ns;
  return interval_ns_;
}

// Of up to a hundred rounds the single slowest is forgiven.
std::int64_t Budget::percentile_of_last(std::size_t rounds) const {
  const std::size_t count = std::min({rounds, rounds_, kMostRounds});
  if (count == 0) return 0;
  std::array<std::int64_t, kMostRounds> sorted;
  for (std::size_t i = 0; i < count; ++i) sorted[i] = spent_[(rounds_ - 1 - i) % kMostRounds];
  const auto rank = sorted.begin() + static_cast<std::ptrdiff_t>((count - 1) * 99 / 100);
  std::nth_element(sorted.begin(), rank, sorted.begin() + static_cast<std::ptrdiff_t>(count));
  return *rank;
}

}  // namespace faultline
