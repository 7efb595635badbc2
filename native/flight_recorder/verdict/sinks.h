// Where waiting ends: the strongly connected components of a graph that nothing leaves.
#pragma once

#include <cstdint>
#include <vector>

namespace faultline::flight_recorder {

// `edges[v]` lists what v waits for. Components in order of their lowest vertex, vertices sorted.
std::vector<std::vector<std::uint32_t>> sinks_of(const std::vector<std::vector<std::uint32_t>>& edges);

}  // namespace faultline::flight_recorder
