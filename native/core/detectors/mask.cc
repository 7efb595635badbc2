// Mask: any of some bits set for a dwell, cleared when none is left.
#include "core/detectors/rules.h"

#include "core/detectors/latch.h"

namespace faultline {
namespace {

constexpr double kMaxExact = 9007199254740992.0;  // 2^53: above it a double no longer holds every bit

class Mask final : public SeriesDetector {
 public:
  explicit Mask(const MaskSpec& spec)
      : bits_(spec.bits), latch_(Worst::every_bit, {spec.dwell_ns, spec.clear_dwell_ns, 1}) {}

  std::optional<Transition> sample(const Sample& sample) override {
    if (sample.value < 0 || sample.value > kMaxExact) return std::nullopt;  // no bit set: a sentinel, so absent
    const bool set = (static_cast<std::uint64_t>(sample.value) & bits_) != 0;
    return latch_.update(sample, set ? Condition::beyond : Condition::within, static_cast<double>(bits_));
  }

 private:
  std::uint64_t bits_;
  Latch latch_;
};

}  // namespace

std::unique_ptr<SeriesDetector> make_detector(const MaskSpec& spec) { return std::make_unique<Mask>(spec); }

}  // namespace faultline
