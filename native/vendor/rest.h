// A device whose driver does not answer in time is left alone for a while: each further call waits for the same lock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace faultline {

class Rest {
 public:
  // A call timed out, or the driver said that the device's system processor did. True when a rest begins.
  bool timed_out(std::int64_t now_ns) {
    if (resting(now_ns)) return false;
    pause_ns_ = std::clamp(pause_ns_ * 2, kFirstNs, kLongestNs);
    until_ns_ = now_ns + pause_ns_;
    return true;
  }
  // A round without a timeout.
  void answered() { pause_ns_ = 0; }
  bool resting(std::int64_t now_ns) const { return now_ns < until_ns_; }
  std::int64_t pause_ns() const { return pause_ns_; }

 private:
  static constexpr std::int64_t kFirstNs = 1'000'000'000;
  static constexpr std::int64_t kLongestNs = 60'000'000'000;

  std::int64_t pause_ns_ = 0;
  std::int64_t until_ns_ = 0;
};

}  // namespace faultline
