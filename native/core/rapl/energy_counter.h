// A RAPL energy counter: wraps at its own range, and an interval that cannot be trusted is a gap, not a number.
#pragma once

#include <cstdint>
#include <optional>

namespace faultline {

struct EnergyStep {
  enum class Kind { first, counted, reset, gap };
  Kind kind;
  double watts = 0;  // mean since the previous reading, for `counted`
};

class EnergyCounter {
 public:
  // `range_uj`: the zone's max_energy_range_uj, 0 when it gives none; then a counter that goes back was reset.
  explicit EnergyCounter(std::uint64_t range_uj);

  // `ceiling_w`: what no part can draw. Above it, or when the counter may have wrapped twice, the interval is a gap.
  EnergyStep advance(std::uint64_t energy_uj, std::int64_t time_ns, double ceiling_w);
  // The next reading counts as the first (after a suspend).
  void forget() { previous_.reset(); }
  // Joules counted since the first reading; gaps are not in it.
  double total_j() const { return total_uj_ / 1e6; }

 private:
  struct Reading {
    std::uint64_t energy_uj;
    std::int64_t time_ns;
  };

  std::uint64_t modulus_uj_;
  std::optional<Reading> previous_;
  double total_uj_ = 0;
};

}  // namespace faultline
