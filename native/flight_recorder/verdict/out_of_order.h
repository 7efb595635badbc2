// Which ranks of a ring entered the operations in another order than the program has them.
#pragma once

#include <vector>

#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {

struct OutOfOrder {
  std::vector<std::uint32_t> ranks;  // who did; all who wait for each other where nothing tells
  bool decided = false;
};

// `ranks` are the ring's, `stalls` the operations that they wait at.
OutOfOrder out_of_order(const Join& join, const std::vector<std::uint32_t>& ranks, const std::vector<const Stall*>& stalls);

}  // namespace faultline::flight_recorder
