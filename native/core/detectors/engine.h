// Attaches detectors to the series they select and feeds them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/detectors/companions.h"
#include "core/detectors/detector.h"
#include "core/series.h"

namespace faultline {

struct Edge {
  std::shared_ptr<const std::string> detector;
  SeriesId series;
  Transition transition;
  std::int64_t detected_ns = 0;  // when the detector found it
  std::string traceparent = {};  // that of the batch which caused it
};

// Not thread-safe.
class DetectorEngine {
 public:
  // Replaces the set. A specification that is unchanged keeps its state, so an open anomaly can still clear.
  void set(std::vector<DetectorSpec> specs, const SeriesRegistry& registry);
  // A new series; ids come in order.
  void attach(SeriesId series, std::string_view key);
  // Which peers the component has: those of the same number; nothing = none are known.
  void set_group(std::string_view component, std::optional<double> group);
  // Edges are appended to `edges`; true when a counter was seen to restart.
  bool sample(SeriesId series, const Sample& sample, std::vector<Edge>& edges);

 private:
  struct Detector {
    DetectorSpec spec;
    std::shared_ptr<const std::string> name;
    std::unique_ptr<DetectorGroup> group;
  };
  struct Attached {
    std::shared_ptr<Detector> detector;
    std::unique_ptr<SeriesDetector> state;
    std::optional<Judge> judge;  // only where the specification looks at other quantities
  };

  static bool selects(const Detector& detector, const SeriesKey& key);

  std::vector<std::shared_ptr<Detector>> detectors_;
  std::vector<std::vector<Attached>> by_series_;
  Companions companions_;
  std::vector<std::optional<Companions::Slot>> own_slot_;  // of the series that others look at
};

}  // namespace faultline
