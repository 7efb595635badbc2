// Refuses specifications that could never speak, never fall silent, or hold unbounded memory.
#include "core/detectors/spec.h"

#include <cmath>

namespace faultline {
namespace {

std::string check_rule(const LevelSpec& rule) {
  if (!std::isfinite(rule.limit) || !std::isfinite(rule.clear)) return "limit and clear must be finite";
  if (rule.when == Side::above && rule.clear > rule.limit) return "clear must not be above limit";
  if (rule.when == Side::below && rule.clear < rule.limit) return "clear must not be below limit";
  return {};
}

std::string check_rule(const MaskSpec& rule) {
  if (rule.bits == 0 || rule.bits > (std::uint64_t{1} << 53)) return "bits must be between 1 and 2^53";
  if ((rule.bits & rule.without) != 0) return "without must not hold a bit that is watched";
  return {};
}

std::string check_rule(const RateSpec& rule) {
  if (!(rule.per_second > 0) || !std::isfinite(rule.per_second)) return "perSecond must be above 0";
  if (rule.window_ns <= 0) return "windowMs must be above 0";
  return {};
}

std::string check_rule(const DropSpec& rule) {
  if (!(rule.ratio > 0) || !std::isfinite(rule.ratio)) return "ratio must be above 0";
  if (!(rule.clear_ratio > 0) || !std::isfinite(rule.clear_ratio)) return "clearRatio must be above 0";
  if (rule.when == Side::above && rule.clear_ratio > rule.ratio) return "clearRatio must not be above ratio";
  if (rule.when == Side::below && rule.clear_ratio < rule.ratio) return "clearRatio must not be below ratio";
  if (rule.window_ns <= 0) return "windowMs must be above 0";
  if (rule.min_samples < 1 || rule.min_samples > kMostMinSamples) return "minSamples must be between 1 and 256";
  if (rule.dwell_samples < 1) return "dwellSamples must be at least 1";
  return {};
}

std::string check_rule(const TrendSpec& rule) {
  if (!std::isfinite(rule.limit)) return "limit must be finite";
  if (rule.window_ns <= 0) return "windowMs must be above 0";
  if (rule.horizon_ns <= 0) return "horizonMs must be above 0";
  if (rule.min_samples < 2 || rule.min_samples > kMostMinSamples) return "minSamples must be between 2 and 256";
  return {};
}

std::string check_rule(const PeersSpec& rule) {
  if (!(rule.ratio > 0) || !std::isfinite(rule.ratio)) return "ratio must be above 0";
  if (rule.min_peers < 1) return "minPeers must be at least 1";
  return {};
}

std::string check_companions(const DetectorSpec& spec) {
  if (spec.against) {
    // Bits and counters mean nothing divided or subtracted.
    if (std::holds_alternative<MaskSpec>(spec.rule) || std::holds_alternative<RateSpec>(spec.rule)) {
      return "a mask or a rate is not held against another quantity";
    }
    if (spec.against->quantity.empty()) return "against needs a quantity";
  }
  if (spec.only.size() > kMostGuards) return "only takes at most 8 conditions";
  for (const Guard& guard : spec.only) {
    if (guard.quantity.empty()) return "a condition needs a quantity";
    if (!std::isfinite(guard.limit)) return "the limit of a condition must be finite";
  }
  return {};
}

}  // namespace

std::string check(const DetectorSpec& spec) {
  if (spec.name.empty()) return "a detector needs a name";
  std::string wrong = std::visit([](const auto& rule) { return check_rule(rule); }, spec.rule);
  if (wrong.empty()) wrong = check_companions(spec);
  return wrong.empty() ? wrong : "detector " + spec.name + ": " + wrong;
}

}  // namespace faultline
