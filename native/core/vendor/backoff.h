// Doubling pauses between attempts.
#pragma once

#include <algorithm>
#include <cstdint>

namespace faultline {

class Backoff {
 public:
  Backoff(std::int64_t first_ns, std::int64_t longest_ns) : first_ns_(first_ns), longest_ns_(longest_ns) {}
  std::int64_t next_ns() {
    current_ns_ = current_ns_ == 0 ? first_ns_ : std::min(current_ns_ * 2, longest_ns_);
    return current_ns_;
  }
  void reset() { current_ns_ = 0; }

 private:
  std::int64_t first_ns_;
  std::int64_t longest_ns_;
  std::int64_t current_ns_ = 0;
};

}  // namespace faultline
