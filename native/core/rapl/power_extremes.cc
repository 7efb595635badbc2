// The highest and lowest power that a fast-read energy counter shows, each over a window in which its own steps do not.
#include "core/rapl/power_extremes.h"

#include <algorithm>
#include <utility>

namespace faultline {
namespace {

// The counter moves about once a millisecond, not in step with who reads it.
constexpr std::int64_t kWindowNs = 20'000'000;

}  // namespace

void PowerExtremes::add(std::uint64_t energy_uj, std::int64_t time_ns, double ceiling_w) {
  const EnergyStep step = counter_.advance(energy_uj, time_ns, ceiling_w);
  if (step.kind != EnergyStep::Kind::counted) count_ = 0;
  if (count_ == kPoints) {
    first_ = (first_ + 1) % kPoints;
    --count_;
  }
  points_[(first_ + count_++) % kPoints] = {time_ns, counter_.total_j()};
  // The youngest that is a window old.
  while (count_ > 1 && time_ns - points_[(first_ + 1) % kPoints].time_ns >= kWindowNs) {
    first_ = (first_ + 1) % kPoints;
    --count_;
  }
  const Point& then = points_[first_];
  if (time_ns - then.time_ns < kWindowNs) return;
  const double watts = (counter_.total_j() - then.total_j) / (static_cast<double>(time_ns - then.time_ns) / 1e9);
  if (!seen_) seen_ = Seen{watts, watts};
  seen_->least_w = std::min(seen_->least_w, watts);
  seen_->most_w = std::max(seen_->most_w, watts);
}

void PowerExtremes::forget() {
  counter_.forget();
  count_ = 0;
}

std::optional<PowerExtremes::Seen> PowerExtremes::take() { return std::exchange(seen_, std::nullopt); }

}  // namespace faultline
