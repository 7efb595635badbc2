// One maker per rule, each in the file of its name.
#pragma once

#include <memory>

#include "core/detectors/detector.h"
#include "core/detectors/spec.h"

namespace faultline {

std::unique_ptr<SeriesDetector> make_detector(const LevelSpec& spec);
std::unique_ptr<SeriesDetector> make_detector(const MaskSpec& spec);
std::unique_ptr<SeriesDetector> make_detector(const RateSpec& spec);
std::unique_ptr<SeriesDetector> make_detector(const DropSpec& spec);
std::unique_ptr<SeriesDetector> make_detector(const TrendSpec& spec);
std::unique_ptr<DetectorGroup> make_peers(const PeersSpec& spec);

}  // namespace faultline
