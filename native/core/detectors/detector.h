// What every detector is to the engine: samples of one series in, now and then an onset or a clear out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/detectors/spec.h"
#include "core/history.h"

namespace faultline {

struct Transition {
  bool onset;
  std::int64_t time_ns;      // first sample beyond (or back within)
  std::int64_t previous_ns;  // the sample before it
  double value;
  double reference;
  double extreme;
  bool reference_is_time = false;  // then `reference` is monotonic ns
};

// Whether a sample counts: as it is, as one that was not seen (an open anomaly stays open, a dwell begins again), or as one
// that is within whatever its value.
enum class Standing { judged, held, within };

// What a detector is given: the sample, or what its specification makes of it, and how far it counts.
struct Reading {
  Sample sample;
  Standing standing = Standing::judged;
  double group = 0;  // which peers it has; NaN = none are known
};

// A detector on one series. Driven only by sample times, which never go back.
class SeriesDetector {
 public:
  virtual ~SeriesDetector() = default;
  virtual std::optional<Transition> sample(const Reading& reading) = 0;
  // True when the last sample was seen to restart a counter.
  virtual bool saw_reset() const { return false; }
};

// What the detectors of one specification share: for `peers`, the values of all series of the selection.
class DetectorGroup {
 public:
  virtual ~DetectorGroup() = default;
  virtual std::unique_ptr<SeriesDetector> attach() = 0;
};

std::unique_ptr<DetectorGroup> make_group(const DetectorSpec& spec);

}  // namespace faultline
