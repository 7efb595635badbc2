// When the next round is due and whether a slow pass begins with it: what was asked for, bounded by sensors and budget.
#pragma once

#include <cstdint>

#include "core/vendor/protocol.h"
#include "vendor/budget.h"

namespace faultline {

class Lanes {
 public:
  // `refresh_ns`: nothing is read more often than this; 0 when unknown.
  explicit Lanes(std::int64_t refresh_ns) : refresh_ns_(refresh_ns) {}
  bool slow_due(std::int64_t now_ns) const { return now_ns >= slow_due_ns_; }
  // A slow pass begins with the next round. `spent_ns`: what all calls on the worst GPU took since the last one began.
  void slow_begins(std::int64_t now_ns, std::int64_t spent_ns);
  // Takes what the round's fast lane cost the worst GPU; gives the interval to the next round.
  std::int64_t after_round(std::int64_t asked_ns, std::int64_t worst_spent_ns);
  // The interval when another one is asked for between two rounds.
  std::int64_t interval_ns(std::int64_t asked_ns) const;
  bool throttled() const { return fast_.throttled(); }
  // What a round, and a pass of the slow lane, cost at the 99th percentile.
  std::int64_t fast_p99_ns() const { return fast_.p99_ns(); }
  std::int64_t slow_p99_ns() const { return slow_.p99_ns(); }

 private:
  // Together under 1 % of wall time per GPU, the start included.
  static constexpr double kFastShare = 0.0073;
  static constexpr double kSlowShare = 0.0024;
  static constexpr std::int64_t kSlowIntervalNs = 10'000'000'000;
  static constexpr std::int64_t kLongestSlowNs = 600'000'000'000;

  std::int64_t wanted(std::int64_t asked_ns) const;

  const std::int64_t refresh_ns_;
  Budget fast_{kFastShare, kLongestIntervalNs};
  Budget slow_{kSlowShare, kLongestSlowNs};
  bool slow_began_ = false;
  std::int64_t slow_due_ns_ = 0;
  std::int64_t fast_since_slow_ns_ = 0;
  std::int64_t stretched_ns_ = 0;
};

}  // namespace faultline
