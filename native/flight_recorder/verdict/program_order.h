// Which of two operations comes first in the program that all ranks run.
#pragma once

#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {

// True when the ranks that wait in `second` had entered the like of `first` before it, each in its own group of that
// description. False where they did not, or their records do not reach back so far.
bool comes_before(const Join& join, const Stall& first, const Stall& second);

}  // namespace faultline::flight_recorder
