// Mask: any of some bits set, and none that explains them, for a dwell; cleared when that is no longer so.
#include "core/detectors/rules.h"

#include "core/detectors/latch.h"

namespace faultline {
namespace {

constexpr double kMaxExact = 9007199254740992.0;  // 2^53: above it a double no longer holds every bit

class Mask final : public SeriesDetector {
 public:
  explicit Mask(const MaskSpec& spec)
      : bits_(spec.bits), without_(spec.without), latch_(Worst::every_bit, {spec.dwell_ns, spec.clear_dwell_ns, 1}) {}

  std::optional<Transition> sample(const Reading& reading) override {
    const Sample& sample = reading.sample;
    if (sample.value < 0 || sample.value > kMaxExact) return std::nullopt;  // no bit set: a sentinel, so absent
    const auto value = static_cast<std::uint64_t>(sample.value);
    const bool set = (value & bits_) != 0 && (value & without_) == 0;
    const Condition condition = set ? Condition::beyond : Condition::within;
    return latch_.update(sample, ruled(condition, reading.standing), static_cast<double>(bits_));
  }

 private:
  std::uint64_t bits_;
  std::uint64_t without_;
  Latch latch_;
};

}  // namespace

std::unique_ptr<SeriesDetector> make_detector(const MaskSpec& spec) { return std::make_unique<Mask>(spec); }

}  // namespace faultline
