// The newest sample of the quantities that others of the same component are judged by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/detectors/detector.h"

namespace faultline {

// Not thread-safe.
class Companions {
 public:
  using Slot = std::size_t;

  // The place of this quantity of this component, made on first use.
  Slot slot(std::string_view component, std::string_view quantity);
  void put(Slot slot, const Sample& sample) { newest_[slot] = sample; }
  // Nothing where there is none, or none younger than `max_age_ns` (0 = any age will do).
  std::optional<double> value(Slot slot, std::int64_t now_ns, std::int64_t max_age_ns) const;

 private:
  std::unordered_map<std::string, Slot> slots_;
  std::vector<std::optional<Sample>> newest_;
};

// A specification's companions on one component.
class Judge {
 public:
  static constexpr std::string_view kGroup = "@group";

  Judge(const DetectorSpec& spec, std::string_view component, Companions& companions);
  // What the detector is to be given for this sample; nothing where the sample cannot be judged at all.
  std::optional<Reading> judge(const Sample& sample, const Companions& companions) const;

 private:
  struct Bound {
    Companions::Slot quantity;
    std::optional<Companions::Slot> against;
  };

  bool holds(const Guard& guard, const Bound& bound, std::int64_t now_ns, const Companions& companions) const;

  const DetectorSpec* spec_;  // the detector's own, which outlives every series' part of it
  std::optional<Companions::Slot> against_;
  std::optional<Companions::Slot> group_;
  std::vector<Bound> guards_;
};

}  // namespace faultline
