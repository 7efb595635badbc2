// Detector specifications from JavaScript.
#pragma once

#include <napi.h>

#include <optional>
#include <vector>

#include "core/detectors/spec.h"

namespace faultline {

// Nothing, with an exception pending, when one of them is wrong: the set is taken whole or not at all.
std::optional<std::vector<DetectorSpec>> ReadDetectorSpecs(Napi::Env env, Napi::Value value);

}  // namespace faultline
