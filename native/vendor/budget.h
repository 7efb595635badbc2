// How often the child may ask: NVML takes a driver lock that the job needs too, so its time is kept to 1 % per GPU.
#pragma once

#include <cstdint>

namespace faultline {

class Budget {
 public:
  // Takes the longest time that one GPU's calls took this tick and gives the interval to use now.
  std::int64_t next_interval_ns(std::int64_t wanted_ns, std::int64_t worst_spent_ns);
  bool throttled() const { return throttled_; }

 private:
  double smoothed_ns_ = 0;
  bool first_ = true;
  bool throttled_ = false;
};

}  // namespace faultline
