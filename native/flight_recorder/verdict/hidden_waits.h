// Waits that Gloo does not record: a rank without a recorded wait may be in a receive from a rank that waits itself.
#pragma once

#include <cstdint>
#include <vector>

#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {

// `edges`: who waits for whom or what, nodes first, then stalls; `awaited`: by node, the stalls that wait for it.
void add_hidden_waits(const Join& join, const std::vector<std::vector<std::uint32_t>>& awaited, std::vector<std::vector<std::uint32_t>>& edges);

}  // namespace faultline::flight_recorder
