// Level: beyond a limit for a dwell, cleared on the other side of a second one.
#include "core/detectors/rules.h"

#include "core/detectors/latch.h"

namespace faultline {
namespace {

class Level final : public SeriesDetector {
 public:
  explicit Level(const LevelSpec& spec)
      : spec_(spec),
        latch_(spec.when == Side::above ? Worst::highest : Worst::lowest, {spec.dwell_ns, spec.clear_dwell_ns, 1}) {}

  // The limit itself is not beyond; the clear value itself is back within.
  std::optional<Transition> sample(const Reading& reading) override {
    const Sample& sample = reading.sample;
    const bool above = spec_.when == Side::above;
    const bool beyond = above ? sample.value > spec_.limit : sample.value < spec_.limit;
    const bool within = above ? sample.value <= spec_.clear : sample.value >= spec_.clear;
    const Condition condition = beyond ? Condition::beyond : within ? Condition::within : Condition::between;
    return latch_.update(sample, ruled(condition, reading.standing), latch_.active() ? spec_.clear : spec_.limit);
  }

 private:
  LevelSpec spec_;
  Latch latch_;
};

}  // namespace

std::unique_ptr<SeriesDetector> make_detector(const LevelSpec& spec) { return std::make_unique<Level>(spec); }

}  // namespace faultline
