// Dwell and hysteresis: turns "beyond now" and "within now" into one onset and one clear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/detectors/detector.h"

namespace faultline {

enum class Condition { beyond, between, within };
// What the condition counts for where the sample itself does not count in full.
constexpr Condition ruled(Condition condition, Standing standing) {
  if (standing == Standing::judged) return condition;
  return standing == Standing::held ? Condition::between : Condition::within;
}

enum class Worst { highest, lowest, every_bit };

struct Dwell {
  std::int64_t onset_ns = 0;
  std::int64_t clear_ns = 0;
  std::size_t onset_samples = 1;
};

class Latch {
 public:
  Latch(Worst worst, Dwell dwell) : worst_(worst), dwell_(dwell) {}

  // `reference` is what the value was held against. Called for each sample of the series, absent ones left out.
  std::optional<Transition> update(const Sample& sample, Condition condition, double reference);
  bool active() const { return active_; }
  // Active, or on the way there.
  bool engaged() const { return active_ || candidate_.has_value(); }

 private:
  struct Candidate {
    std::int64_t time_ns;
    std::int64_t previous_ns;
    double value;
    double reference;
    std::size_t samples;
  };

  void widen(double value);
  std::optional<Transition> advance(const Sample& sample, std::int64_t previous_ns, double reference);

  Worst worst_;
  Dwell dwell_;
  bool active_ = false;
  double extreme_ = 0;
  std::optional<Candidate> candidate_;
  std::optional<std::int64_t> last_ns_;
};

}  // namespace faultline
