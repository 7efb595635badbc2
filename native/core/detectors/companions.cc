// The newest sample of the quantities that others of the same component are judged by.
#include "core/detectors/companions.h"

#include <cmath>

namespace faultline {

Companions::Slot Companions::slot(std::string_view component, std::string_view quantity) {
  std::string key(component);
  key += '#';
  key += quantity;
  const auto [found, fresh] = slots_.try_emplace(std::move(key), newest_.size());
  if (fresh) newest_.emplace_back();
  return found->second;
}

std::optional<double> Companions::value(Slot slot, std::int64_t now_ns, std::int64_t max_age_ns) const {
  const std::optional<Sample>& newest = newest_[slot];
  if (!newest || (max_age_ns > 0 && newest->time_ns < now_ns - max_age_ns)) return std::nullopt;
  return newest->value;
}

Judge::Judge(const DetectorSpec& spec, std::string_view component, Companions& companions) : spec_(&spec) {
  if (spec.against) against_ = companions.slot(component, spec.against->quantity);
  const auto* peers = std::get_if<PeersSpec>(&spec.rule);
  if (peers != nullptr && peers->grouped) group_ = companions.slot(component, kGroup);
  for (const Guard& guard : spec.only) {
    Bound bound{companions.slot(component, guard.quantity), std::nullopt};
    if (!guard.against.empty()) bound.against = companions.slot(component, guard.against);
    guards_.push_back(bound);
  }
}

bool Judge::holds(const Guard& guard, const Bound& bound, std::int64_t now_ns, const Companions& companions) const {
  std::optional<double> value = companions.value(bound.quantity, now_ns, guard.max_age_ns);
  if (value && bound.against) {
    const std::optional<double> other = companions.value(*bound.against, now_ns, guard.max_age_ns);
    value = other && *other != 0 ? std::optional(*value / *other) : std::nullopt;
  }
  if (guard.when == Holds::absent) return !value;
  if (!value) return guard.unknown_holds;
  return guard.when == Holds::above ? *value > guard.limit : *value < guard.limit;
}

std::optional<Reading> Judge::judge(const Sample& sample, const Companions& companions) const {
  Reading reading{sample};
  if (against_) {
    const std::optional<double> other = companions.value(*against_, sample.time_ns, spec_->against->max_age_ns);
    if (!other || (spec_->against->ratio && *other == 0)) return std::nullopt;
    reading.sample.value = spec_->against->ratio ? sample.value / *other : sample.value - *other;
    if (!std::isfinite(reading.sample.value)) return std::nullopt;
  }
  if (group_) reading.group = companions.value(*group_, sample.time_ns, 0).value_or(std::nan(""));
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    const Guard& guard = spec_->only[i];
    if (holds(guard, guards_[i], sample.time_ns, companions)) continue;
    // One that ends the anomaly outweighs one that only suspends it.
    if (!guard.hold) {
      reading.standing = Standing::within;
      break;
    }
    reading.standing = Standing::held;
  }
  return reading;
}

}  // namespace faultline
