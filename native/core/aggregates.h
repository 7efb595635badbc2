// Count, extremes, mean and last value of each series since they were last taken.
#pragma once

#include <cstdint>
#include <vector>

#include "core/history.h"
#include "core/sink.h"

namespace faultline {

struct Aggregate {
  SeriesId series;
  std::uint32_t count;
  double min;
  double max;
  double mean;
  double last;
  std::int64_t last_ns;
};

// Not thread-safe.
class Aggregates {
 public:
  void add(SeriesId series, Sample sample);
  // In order of id; only series that had samples.
  std::vector<Aggregate> take();

 private:
  std::vector<Aggregate> by_series_;  // `mean` holds the running mean, count 0 = nothing yet
  std::vector<SeriesId> touched_;
};

}  // namespace faultline
