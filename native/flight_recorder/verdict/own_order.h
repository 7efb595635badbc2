// Whether a rank that waits in a ring entered its operations in the order in which it entered them before.
#pragma once

#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {

enum class Order : std::uint8_t { unknown, as_before, otherwise };

// `holds` is where the rank waits, `lacks` what it has not entered, or entered behind that. The same place of an earlier
// step, found by what the rank did before it, says how often it enters the one group until its next turn in the other.
Order own_order(const Join& join, std::uint32_t node, const Stall& holds, const Stall& lacks);

// The same by ranks that entered both, each in its own group of that description: where the record of this one is short.
Order order_of_others(const Join& join, const Stall& holds, const Stall& lacks);

}  // namespace faultline::flight_recorder
