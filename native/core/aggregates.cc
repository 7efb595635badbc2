// Count, extremes, mean and last value of each series since they were last taken.
#include "core/aggregates.h"

#include <algorithm>

namespace faultline {

void Aggregates::add(SeriesId series, Sample sample) {
  if (series >= by_series_.size()) by_series_.resize(series + 1, Aggregate{});
  Aggregate& entry = by_series_[series];
  if (entry.count == 0) {
    entry = {series, 1, sample.value, sample.value, sample.value, sample.value, sample.time_ns};
    touched_.push_back(series);
    return;
  }
  if (entry.count < UINT32_MAX) ++entry.count;
  entry.min = std::min(entry.min, sample.value);
  entry.max = std::max(entry.max, sample.value);
  // Divided before it is subtracted: a running sum, or the difference of two huge values, would overflow.
  entry.mean += sample.value / entry.count - entry.mean / entry.count;
  if (sample.time_ns >= entry.last_ns) {
    entry.last = sample.value;
    entry.last_ns = sample.time_ns;
  }
}

std::vector<Aggregate> Aggregates::take() {
  std::sort(touched_.begin(), touched_.end());
  std::vector<Aggregate> taken;
  taken.reserve(touched_.size());
  for (const SeriesId series : touched_) {
    taken.push_back(by_series_[series]);
    by_series_[series].count = 0;
  }
  touched_.clear();
  return taken;
}

}  // namespace faultline
