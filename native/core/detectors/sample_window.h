// The samples of the last so many ns, oldest first, thinned so that a window never holds more than kWindowSamples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/detectors/spec.h"
#include "core/history.h"

namespace faultline {

class SampleWindow {
 public:
  explicit SampleWindow(std::int64_t window_ns) : window_ns_(window_ns) {}

  // False when the sample is too close to the one before it to be kept.
  bool add(const Sample& sample) {
    if (size_ > 0 && sample.time_ns - back().time_ns < spacing()) return false;
    if (size_ == ring_.size()) grow();
    ring_[(head_ + size_++) % ring_.size()] = sample;
    return true;
  }
  // True when the oldest sample lies before the window that ends at `now_ns`.
  bool oldest_expired(std::int64_t now_ns) const { return size_ > 0 && front().time_ns < now_ns - window_ns_; }
  void pop_front() {
    head_ = (head_ + 1) % ring_.size();
    --size_;
  }
  std::size_t size() const { return size_; }
  const Sample& front() const { return ring_[head_]; }
  const Sample& back() const { return (*this)[size_ - 1]; }
  const Sample& operator[](std::size_t index) const { return ring_[(head_ + index) % ring_.size()]; }

 private:
  std::int64_t spacing() const { return window_ns_ / static_cast<std::int64_t>(kWindowSamples); }
  void grow() {
    std::vector<Sample> wider(ring_.empty() ? 8 : ring_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) wider[i] = (*this)[i];
    ring_ = std::move(wider);
    head_ = 0;
  }

  std::int64_t window_ns_;
  std::vector<Sample> ring_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace faultline
