// The verdict document of contracts.md as JSON text.
#pragma once

#include <string>
#include <vector>

#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {

// brief: lists and texts are cut, so that no job makes it long; what was cut is counted next to it (`ranks_count`,
// `waiting_count` …), and of the dumps only those are listed that were cut or refused.
enum class Length { whole, brief };

std::string report(const Join& join, const std::vector<std::string>& errors, Length length = Length::whole);

}  // namespace faultline::flight_recorder
