// Rate: growth of a counter per second over a window; a counter that goes back has restarted.
#include "core/detectors/rules.h"

#include <algorithm>

#include "core/detectors/latch.h"
#include "core/detectors/sample_window.h"

namespace faultline {
namespace {

class Rate final : public SeriesDetector {
 public:
  explicit Rate(const RateSpec& spec)
      : spec_(spec), latch_(Worst::highest, {0, spec.clear_dwell_ns, 1}), grown_(spec.window_ns) {}

  std::optional<Transition> sample(const Reading& reading) override {
    const Sample& sample = reading.sample;
    reset_ = previous_ && sample.value < previous_->value;
    const Sample before{previous_ ? previous_->time_ns : sample.time_ns, total_};
    if (previous_ && !reset_) total_ += sample.value - previous_->value;
    previous_ = sample;
    const Sample now{sample.time_ns, total_};
    while (grown_.oldest_expired(sample.time_ns)) grown_.pop_front();
    // A series slower than the window is judged from its previous sample, over the time that really passed.
    const Sample base = grown_.size() > 0 ? grown_.front() : before;
    grown_.add(now);
    const std::int64_t span_ns = std::max(spec_.window_ns, now.time_ns - base.time_ns);
    const double rate = (now.value - base.value) / (static_cast<double>(span_ns) / 1e9);
    const Condition condition = rate >= spec_.per_second ? Condition::beyond : Condition::within;
    return latch_.update({sample.time_ns, rate}, ruled(condition, reading.standing), spec_.per_second);
  }

  bool saw_reset() const override { return reset_; }

 private:
  RateSpec spec_;
  Latch latch_;
  SampleWindow grown_;  // value = growth since the first sample
  std::optional<Sample> previous_;
  double total_ = 0;
  bool reset_ = false;
};

}  // namespace

std::unique_ptr<SeriesDetector> make_detector(const RateSpec& spec) { return std::make_unique<Rate>(spec); }

}  // namespace faultline
