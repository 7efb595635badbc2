// What a detector is given: which series it watches and when it reports. `DetectorSpec` of src/native.ts, field for field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace faultline {

enum class Side { above, below };

struct LevelSpec {
  Side when = Side::above;
  double limit = 0;
  double clear = 0;
  std::int64_t dwell_ns = 0;
  std::int64_t clear_dwell_ns = 0;
  bool operator==(const LevelSpec&) const = default;
};

struct MaskSpec {
  std::uint64_t bits = 0;
  std::int64_t dwell_ns = 0;
  std::int64_t clear_dwell_ns = 0;
  std::uint64_t without = 0;  // bits that explain the others: where one of them is set, ours do not count
  bool operator==(const MaskSpec&) const = default;
};

struct RateSpec {
  double per_second = 0;
  std::int64_t window_ns = 0;
  std::int64_t clear_dwell_ns = 0;
  bool operator==(const RateSpec&) const = default;
};

struct DropSpec {
  Side when = Side::below;
  double ratio = 0;
  double clear_ratio = 0;
  std::int64_t window_ns = 0;
  std::size_t min_samples = 1;
  std::size_t dwell_samples = 1;
  bool follows = false;  // what lasts becomes normal: for values that are set, where each change counts
  bool operator==(const DropSpec&) const = default;
};

struct TrendSpec {
  Side when = Side::above;
  double limit = 0;
  std::int64_t horizon_ns = 0;
  std::int64_t window_ns = 0;
  std::size_t min_samples = 2;
  bool operator==(const TrendSpec&) const = default;
};

struct PeersSpec {
  Side when = Side::below;
  double ratio = 0;
  std::size_t min_peers = 1;
  std::int64_t dwell_ns = 0;
  std::int64_t clear_dwell_ns = 0;
  bool grouped = false;  // peers are those of the same group only, and without a group there are none
  bool operator==(const PeersSpec&) const = default;
};

// The value is held against the newest one of another quantity of the same component.
struct Against {
  std::string quantity;
  bool ratio = false;           // value / other; else value - other
  std::int64_t max_age_ns = 0;  // older than this the other is absent, and so is the value; 0 = it never ages
  bool operator==(const Against&) const = default;
};

enum class Holds { above, below, absent };

// Samples count only while another quantity of the same component is so.
struct Guard {
  std::string quantity;
  std::string against;  // the quantity is divided by this one; empty = taken as it is
  Holds when = Holds::above;
  double limit = 0;
  std::int64_t max_age_ns = 0;
  bool hold = false;  // else an open anomaly ends: the sample counts as within
  bool unknown_holds = false;
  bool operator==(const Guard&) const = default;
};

struct DetectorSpec {
  std::string name;
  std::string component_type;
  std::string quantity;
  std::variant<LevelSpec, MaskSpec, RateSpec, DropSpec, TrendSpec, PeersSpec> rule;
  std::optional<Against> against = std::nullopt;
  std::vector<Guard> only = {};
  bool operator==(const DetectorSpec&) const = default;
};

// Samples a window holds at most; a denser series is thinned to this many per window.
inline constexpr std::size_t kWindowSamples = 512;
// Thinning leaves any denser series at least half of them.
inline constexpr std::size_t kMostMinSamples = kWindowSamples / 2;

// Guards that one detector may have.
inline constexpr std::size_t kMostGuards = 8;

// What is wrong with a specification, empty when nothing is.
std::string check(const DetectorSpec& spec);

}  // namespace faultline
