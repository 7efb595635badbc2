// A RAPL energy counter: wraps at its own range, and an interval that cannot be trusted is a gap, not a number.
#include "core/rapl/energy_counter.h"

#include <algorithm>

namespace faultline {
namespace {

// The register behind the counter is 32 bits wide, so the range is 2^32 - 1 units and one unit more is a full turn
// (intel_rapl_common.c: ENERGY_STATUS_MASK).
constexpr std::uint64_t kRegisterMax = 0xffffffff;

std::uint64_t modulus(std::uint64_t range_uj) {
  if (range_uj == 0) return 0;
  const std::uint64_t unit_uj = std::max<std::uint64_t>(1, (range_uj + kRegisterMax / 2) / kRegisterMax);
  return range_uj + unit_uj;
}

}  // namespace

EnergyCounter::EnergyCounter(std::uint64_t range_uj) : modulus_uj_(modulus(range_uj)) {}

EnergyStep EnergyCounter::advance(std::uint64_t energy_uj, std::int64_t time_ns, double ceiling_w) {
  const std::optional<Reading> before = previous_;
  previous_ = Reading{energy_uj, time_ns};
  if (!before) return {EnergyStep::Kind::first};
  const double seconds = static_cast<double>(time_ns - before->time_ns) / 1e9;
  if (!(seconds > 0)) return {EnergyStep::Kind::gap};
  const double most_uj = ceiling_w * seconds * 1e6;
  const bool back = energy_uj < before->energy_uj;
  if (back && modulus_uj_ == 0) return {EnergyStep::Kind::reset};
  if (modulus_uj_ > 0 && most_uj >= static_cast<double>(modulus_uj_) / 2) return {EnergyStep::Kind::gap};
  if (back && before->energy_uj >= modulus_uj_) return {EnergyStep::Kind::reset};
  const std::uint64_t delta_uj = back ? energy_uj + (modulus_uj_ - before->energy_uj) : energy_uj - before->energy_uj;
  if (static_cast<double>(delta_uj) > most_uj) return {back ? EnergyStep::Kind::reset : EnergyStep::Kind::gap};
  total_uj_ += static_cast<double>(delta_uj);
  return {EnergyStep::Kind::counted, static_cast<double>(delta_uj) / 1e6 / seconds};
}

}  // namespace faultline
