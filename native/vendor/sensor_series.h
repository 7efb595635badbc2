// How often a sensor's value changes, from a short series of reads.
#pragma once

#include <cstdint>

namespace faultline {

class SensorSeries {
 public:
  // One read at `now_ns`; `value` is the counter or the power as it came.
  void add(std::int64_t now_ns, double value);
  // Time between two changes; 0 when too few were seen to say.
  std::int64_t refresh_ns() const;

 private:
  double last_ = 0;
  bool any_ = false;
  std::int64_t first_change_ns_ = 0, last_change_ns_ = 0;
  unsigned changes_ = 0;
};

}  // namespace faultline
