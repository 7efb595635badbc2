// How often one lane of reads may run: NVML takes a driver lock that the job needs too, so a lane has a share of the time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace faultline {

class Budget {
 public:
  // `share` of wall time per GPU; `longest_ns` is as far as the interval is stretched.
  Budget(double share, std::int64_t longest_ns) : share_(share), longest_ns_(longest_ns) {}
  // Takes the longest time that one GPU's calls took this round and gives the interval to use now.
  std::int64_t next_interval_ns(std::int64_t wanted_ns, std::int64_t worst_spent_ns);
  bool throttled() const { return throttled_; }
  // What a round costs at the 99th percentile of the last rounds; the rare long call is what a job feels, not the mean.
  std::int64_t p99_ns() const { return p99_ns_; }

 private:
  static constexpr std::size_t kMostRounds = 100;

  std::int64_t percentile_of_last(std::size_t rounds) const;

  const double share_;
  const std::int64_t longest_ns_;
  std::array<std::int64_t, kMostRounds> spent_{};
  std::size_t rounds_ = 0;  // ever, the first one left out
  std::int64_t p99_ns_ = 0;
  std::int64_t interval_ns_ = 0;
  bool first_ = true;
  bool throttled_ = false;
};

}  // namespace faultline
