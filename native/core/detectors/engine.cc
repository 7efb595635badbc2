// Attaches detectors to the series they select and feeds them.
#include "core/detectors/engine.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/detectors/rules.h"

namespace faultline {
namespace {

// Most rules share nothing between series.
template <typename Spec>
class PlainGroup final : public DetectorGroup {
 public:
  explicit PlainGroup(const Spec& spec) : spec_(spec) {}
  std::unique_ptr<SeriesDetector> attach() override { return make_detector(spec_); }

 private:
  Spec spec_;
};

// Whether some specification judges others by this series.
bool is_companion(const DetectorSpec& spec, const SeriesKey& key) {
  if (spec.component_type != key.component_type) return false;
  if (spec.against && spec.against->quantity == key.quantity) return true;
  return std::any_of(spec.only.begin(), spec.only.end(), [&](const Guard& guard) {
    return guard.quantity == key.quantity || guard.against == key.quantity;
  });
}

bool looks_around(const DetectorSpec& spec) {
  const auto* peers = std::get_if<PeersSpec>(&spec.rule);
  return spec.against.has_value() || !spec.only.empty() || (peers != nullptr && peers->grouped);
}

}  // namespace

std::unique_ptr<DetectorGroup> make_group(const DetectorSpec& spec) {
  return std::visit(
      [](const auto& rule) -> std::unique_ptr<DetectorGroup> {
        using Spec = std::decay_t<decltype(rule)>;
        if constexpr (std::is_same_v<Spec, PeersSpec>) {
          return make_peers(rule);
        } else {
          return std::make_unique<PlainGroup<Spec>>(rule);
        }
      },
      spec.rule);
}

bool DetectorEngine::selects(const Detector& detector, const SeriesKey& key) {
  return detector.spec.component_type == key.component_type && detector.spec.quantity == key.quantity;
}

void DetectorEngine::set(std::vector<DetectorSpec> specs, const SeriesRegistry& registry) {
  std::vector<std::shared_ptr<Detector>> previous = std::move(detectors_);
  detectors_.clear();
  for (DetectorSpec& spec : specs) {
    const auto same = std::find_if(previous.begin(), previous.end(),
                                   [&](const auto& old) { return old && old->spec == spec; });
    if (same != previous.end()) {
      detectors_.push_back(std::move(*same));
      continue;
    }
    auto detector = std::make_shared<Detector>();
    detector->name = std::make_shared<const std::string>(spec.name);
    detector->group = make_group(spec);
    detector->spec = std::move(spec);
    detectors_.push_back(std::move(detector));
  }

  std::vector<std::vector<Attached>> before = std::move(by_series_);
  by_series_.clear();
  own_slot_.clear();
  for (SeriesId series = 0; series < registry.size(); ++series) {
    attach(series, registry.key(series));
    if (series >= before.size()) continue;
    for (Attached& fresh : by_series_[series]) {
      for (Attached& old : before[series]) {
        if (old.detector == fresh.detector && old.state) fresh.state = std::move(old.state);
      }
    }
  }
}

void DetectorEngine::attach(SeriesId series, std::string_view key) {
  if (series >= by_series_.size()) by_series_.resize(series + 1);
  if (series >= own_slot_.size()) own_slot_.resize(series + 1);
  const SeriesKey parts = split_key(key);
  for (const auto& detector : detectors_) {
    const DetectorSpec& spec = detector->spec;
    if (is_companion(spec, parts)) own_slot_[series] = companions_.slot(parts.component, parts.quantity);
    if (!selects(*detector, parts)) continue;
    std::optional<Judge> judge;
    if (looks_around(spec)) judge.emplace(spec, parts.component, companions_);
    by_series_[series].push_back({detector, nullptr, std::move(judge)});
  }
}

void DetectorEngine::set_group(std::string_view component, std::optional<double> group) {
  companions_.put(companions_.slot(component, Judge::kGroup), {0, group.value_or(std::nan(""))});
}

bool DetectorEngine::sample(SeriesId series, const Sample& sample, std::vector<Edge>& edges) {
  bool reset = false;
  if (own_slot_[series]) companions_.put(*own_slot_[series], sample);
  for (Attached& entry : by_series_[series]) {
    const std::optional<Reading> reading = entry.judge ? entry.judge->judge(sample, companions_) : Reading{sample};
    if (!reading) continue;
    // Made with the first sample: a series that never has one costs nothing.
    if (!entry.state) entry.state = entry.detector->group->attach();
    if (const auto transition = entry.state->sample(*reading)) {
      edges.push_back({entry.detector->name, series, *transition});
    }
    reset = reset || entry.state->saw_reset();
  }
  return reset;
}

}  // namespace faultline
