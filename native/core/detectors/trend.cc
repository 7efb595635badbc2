// Trend: a straight line through the last samples meets a limit soon.
#include "core/detectors/rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/detectors/latch.h"
#include "core/detectors/sample_window.h"

namespace faultline {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Cleared only when the limit has moved this many horizons away, so that noise around the horizon stays one event.
constexpr double kClearHorizons = 2;
// A slope counts from this many of its own standard errors on: noise on a level series has one too.
constexpr double kSurelySloped = 4;

class Trend final : public SeriesDetector {
 public:
  explicit Trend(const TrendSpec& spec)
      : spec_(spec), latch_(spec.when == Side::above ? Worst::highest : Worst::lowest, {}), window_(spec.window_ns) {}

  std::optional<Transition> sample(const Reading& reading) override {
    const Sample& sample = reading.sample;
    while (window_.oldest_expired(sample.time_ns)) window_.pop_front();
    window_.add(sample);
    // Too few samples say nothing: after a gap what was open stays open.
    if (window_.size() < spec_.min_samples) return latch_.update(sample, Condition::between, spec_.limit);
    const auto [ahead_ns, sure] = time_to_limit(sample.time_ns);
    const auto horizon = static_cast<double>(spec_.horizon_ns);
    const Condition condition = ahead_ns > horizon * kClearHorizons ? Condition::within
                                : ahead_ns <= horizon && sure       ? Condition::beyond
                                                                    : Condition::between;
    auto transition = latch_.update(sample, ruled(condition, reading.standing), latch_.active() ? spec_.limit : sample.time_ns + ahead_ns);
    if (transition && transition->onset) transition->reference_is_time = true;
    return transition;
  }

 private:
  struct Ahead {
    double ns;  // until the fitted line meets the limit: 0 when it is there already, infinite when it leads away
    bool sure = true;
  };

  Ahead time_to_limit(std::int64_t now_ns) const {
    const auto count = static_cast<double>(window_.size());
    double mean_t = 0;
    double mean_v = 0;
    for (std::size_t i = 0; i < window_.size(); ++i) {
      mean_t += static_cast<double>(window_[i].time_ns - now_ns) / count;
      mean_v += window_[i].value / count;
    }
    double covariance = 0;
    double variance = 0;
    double spread = 0;
    for (std::size_t i = 0; i < window_.size(); ++i) {
      const double dt = static_cast<double>(window_[i].time_ns - now_ns) - mean_t;
      const double dv = window_[i].value - mean_v;
      covariance += dt * dv;
      variance += dt * dt;
      spread += dv * dv;
    }
    if (!(variance > 0)) return {kNever};
    const double slope = covariance / variance;
    const double left = spec_.limit - (mean_v - slope * mean_t);
    if (spec_.when == Side::above ? left <= 0 : left >= 0) return {0};
    const double residual = std::max(0.0, spread - slope * covariance);
    // slope / its standard error, squared: sqrt(residual / (n - 2) / variance).
    const bool sure = slope * slope * variance * (count - 2) >= kSurelySloped * kSurelySloped * residual;
    const double ahead = left / slope;
    return {std::isfinite(ahead) && ahead >= 0 ? ahead : kNever, sure};
  }

  TrendSpec spec_;
  Latch latch_;
  SampleWindow window_;
};

}  // namespace

std::unique_ptr<SeriesDetector> make_detector(const TrendSpec& spec) { return std::make_unique<Trend>(spec); }

}  // namespace faultline
