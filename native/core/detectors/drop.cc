// Drop: against the median of what the series itself did lately; the abnormal becomes part of normal only where the rule says so.
#include "core/detectors/rules.h"

#include <algorithm>
#include <vector>

#include "core/detectors/latch.h"
#include "core/detectors/sample_window.h"

namespace faultline {
namespace {

class RollingMedian {
 public:
  explicit RollingMedian(std::int64_t window_ns) : window_(window_ns) {}

  void add(const Sample& sample) {
    if (window_.add(sample)) sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), sample.value), sample.value);
  }
  void expire(std::int64_t now_ns) {
    while (window_.oldest_expired(now_ns)) {
      sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), window_.front().value));
      window_.pop_front();
    }
  }
  std::size_t size() const { return sorted_.size(); }
  double median() const {
    const std::size_t half = sorted_.size() / 2;
    return sorted_.size() % 2 == 1 ? sorted_[half] : sorted_[half - 1] / 2 + sorted_[half] / 2;
  }

 private:
  SampleWindow window_;
  std::vector<double> sorted_;
};

class Drop final : public SeriesDetector {
 public:
  explicit Drop(const DropSpec& spec)
      : spec_(spec),
        latch_(spec.when == Side::above ? Worst::highest : Worst::lowest, {0, 0, spec.dwell_samples}),
        normal_(spec.window_ns) {}

  std::optional<Transition> sample(const Reading& reading) override {
    const Sample& sample = reading.sample;
    if (learns()) normal_.expire(sample.time_ns);
    const bool ready = normal_.size() >= spec_.min_samples;
    const double median = ready ? normal_.median() : 0;
    // A ratio says nothing about a median of zero or less.
    const bool judged = ready && median > 0;
    const Condition condition = judged ? judge(sample.value, median) : Condition::within;
    const auto transition = latch_.update(sample, ruled(condition, reading.standing), median);
    if (learns() && reading.standing == Standing::judged) normal_.add(sample);
    return transition;
  }

 private:
  bool learns() const { return spec_.follows || !latch_.engaged(); }

  Condition judge(double value, double median) const {
    const bool above = spec_.when == Side::above;
    const double limit = spec_.ratio * median;
    const double clear = spec_.clear_ratio * median;
    if (above ? value > limit : value < limit) return Condition::beyond;
    return (above ? value <= clear : value >= clear) ? Condition::within : Condition::between;
  }

  DropSpec spec_;
  Latch latch_;
  RollingMedian normal_;
};

}  // namespace

std::unique_ptr<SeriesDetector> make_detector(const DropSpec& spec) { return std::make_unique<Drop>(spec); }

}  // namespace faultline
