// How often energy is read in the fast mode: as often as asked, and less often while reading costs more than it may.
#pragma once

#include <algorithm>
#include <cstdint>

namespace faultline {

class FastPace {
 public:
  // `interval_ns` as asked; never slower than `slowest_ns`.
  FastPace(std::int64_t interval_ns, std::int64_t slowest_ns)
      : asked_ns_(interval_ns), slowest_ns_(std::max(interval_ns, slowest_ns)), interval_ns_(interval_ns) {}

  std::int64_t interval_ns() const { return interval_ns_; }

  // One reading of all zones took this long. Each so many, the share of time that they took decides.
  void took(std::int64_t ns) {
    spent_ns_ += ns;
    if (++readings_ < kReadings) return;
    const std::int64_t share = 100 * spent_ns_ / (kReadings * interval_ns_);
    if (share >= kMostPercent) interval_ns_ = std::min(interval_ns_ * 2, slowest_ns_);
    // Twice as often costs twice as much: only where that stays well below.
    else if (share < kMostPercent / 4) interval_ns_ = std::max(interval_ns_ / 2, asked_ns_);
    readings_ = 0;
    spent_ns_ = 0;
  }

 private:
  static constexpr std::int64_t kReadings = 128;
  // Of one core. A zone costs up to 20 us: four zones at 1 kHz are 8 %.
  static constexpr std::int64_t kMostPercent = 10;

  std::int64_t asked_ns_, slowest_ns_, interval_ns_;
  std::int64_t spent_ns_ = 0, readings_ = 0;
};

}  // namespace faultline
