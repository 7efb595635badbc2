// Dwell and hysteresis: turns "beyond now" and "within now" into one onset and one clear.
#include "core/detectors/latch.h"

#include <algorithm>

namespace faultline {

void Latch::widen(double value) {
  switch (worst_) {
    case Worst::highest:
      extreme_ = std::max(extreme_, value);
      break;
    case Worst::lowest:
      extreme_ = std::min(extreme_, value);
      break;
    case Worst::every_bit:
      extreme_ = static_cast<double>(static_cast<std::uint64_t>(extreme_) | static_cast<std::uint64_t>(value));
      break;
  }
}

std::optional<Transition> Latch::advance(const Sample& sample, std::int64_t previous_ns, double reference) {
  if (!candidate_) {
    candidate_ = Candidate{sample.time_ns, previous_ns, sample.value, reference, 0};
    if (!active_) extreme_ = sample.value;
  }
  ++candidate_->samples;
  widen(sample.value);
  const std::int64_t dwell_ns = active_ ? dwell_.clear_ns : dwell_.onset_ns;
  const std::size_t dwell_samples = active_ ? 1 : dwell_.onset_samples;
  if (sample.time_ns - candidate_->time_ns < dwell_ns || candidate_->samples < dwell_samples) return std::nullopt;
  active_ = !active_;
  const Transition transition{active_,           candidate_->time_ns,   candidate_->previous_ns,
                              candidate_->value, candidate_->reference, extreme_};
  candidate_.reset();
  return transition;
}

std::optional<Transition> Latch::update(const Sample& sample, Condition condition, double reference) {
  const std::int64_t previous_ns = last_ns_.value_or(sample.time_ns);
  last_ns_ = sample.time_ns;
  if (condition == (active_ ? Condition::within : Condition::beyond)) return advance(sample, previous_ns, reference);
  candidate_.reset();
  if (active_) widen(sample.value);
  return std::nullopt;
}

}  // namespace faultline
