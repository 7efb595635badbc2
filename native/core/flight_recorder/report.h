// The verdict document of contracts.md as JSON text.
#pragma once

#include <string>

#include "core/flight_recorder/join.h"

namespace faultline::flight_recorder {

std::string report(const Join& join, const std::vector<std::string>& errors);

}  // namespace faultline::flight_recorder
