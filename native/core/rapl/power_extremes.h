// The highest and lowest power that a fast-read energy counter shows, each over a window in which its own steps do not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/rapl/energy_counter.h"

namespace faultline {

class PowerExtremes {
 public:
  // As EnergyCounter.
  explicit PowerExtremes(std::uint64_t range_uj) : counter_(range_uj) {}

  // One reading: the mean power of the last 20 ms (or since the reading before, where that is longer ago) counts.
  void add(std::uint64_t energy_uj, std::int64_t time_ns, double ceiling_w);
  // The next window starts empty.
  void forget();

  struct Seen {
    double least_w;
    double most_w;
  };
  // What was seen since the last call; nothing when no window was full.
  std::optional<Seen> take();

 private:
  struct Point {
    std::int64_t time_ns;
    double total_j;
  };
  // Readings come a millisecond apart or more; more of them than fit only makes the window shorter.
  static constexpr std::size_t kPoints = 32;

  EnergyCounter counter_;
  std::array<Point, kPoints> points_{};
  std::size_t first_ = 0, count_ = 0;
  std::optional<Seen> seen_;
};

}  // namespace faultline
