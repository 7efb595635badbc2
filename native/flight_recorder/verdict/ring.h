// Ranks that wait for each other in a ring: groups entered in different orders, or a send without its receive between them.
#pragma once

#include <vector>

#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {

using Nodes = std::vector<std::uint32_t>;

// Sorted, each once.
void unite(Nodes& into, const Nodes& more);
bool has(const Nodes& nodes, std::uint32_t node);

// A verdict on this operation that names no rank yet; those who wait in it are its evidence.
Verdict verdict_on(const Stall& stall, const char* type, double confidence);

// `ranks` are the ring's, `stalls` the operations that they wait at.
Verdict ring_verdict(const Join& join, const Nodes& ranks, std::vector<const Stall*> stalls);

}  // namespace faultline::flight_recorder
