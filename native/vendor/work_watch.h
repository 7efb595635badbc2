// Tells when a GPU turns to work and when its work is over, by its utilisation: then other processes may be on it.
#pragma once

#include <cstdint>

namespace faultline {

class WorkWatch {
 public:
  // True at the first work after a rest of ten seconds, and when a rest has lasted that long. A job that waits for its data
  // between two steps is at work.
  bool update(bool working, std::int64_t now_ns) {
    if (working) {
      const bool begins = known_ && idle_;
      known_ = true;
      idle_ = false;
      worked_ns_ = now_ns;
      return begins;
    }
    if (!known_) {
      known_ = idle_ = true;
      return false;
    }
    if (idle_ || now_ns - worked_ns_ < kRestNs) return false;
    idle_ = true;
    return true;
  }

 private:
  static constexpr std::int64_t kRestNs = 10'000'000'000;

  bool known_ = false;
  bool idle_ = false;
  std::int64_t worked_ns_ = 0;
};

}  // namespace faultline
