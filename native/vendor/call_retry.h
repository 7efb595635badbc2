// Tells a call that failed once from one that keeps failing: pauses that double, and one word at each change.
#pragma once

#include <algorithm>

namespace faultline {

class CallRetry {
 public:
  // True when this is the failure at which the call counts as failing.
  bool failed() {
    pause_ms_ = std::clamp(pause_ms_ * 2, kFirstPauseMs, kLongestPauseMs);
    return ++failures_ == kFailuresToReport;
  }
  // True when it had counted as failing.
  bool worked() {
    const bool failing = failures_ >= kFailuresToReport;
    pause_ms_ = failures_ = 0;
    return failing;
  }
  int pause_ms() const { return pause_ms_; }

 private:
  // An error that stays comes back at once, each time: without a pause it costs a whole core.
  static constexpr int kFirstPauseMs = 100;
  static constexpr int kLongestPauseMs = 30'000;
  static constexpr int kFailuresToReport = 3;

  int pause_ms_ = 0;
  int failures_ = 0;
};

}  // namespace faultline
