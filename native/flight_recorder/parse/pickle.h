// Pickle protocols 0 to 5 as a recorder writes them: an allow-list of opcodes, none of which names or calls anything.
#pragma once

#include <span>

#include "flight_recorder/parse/dump.h"

namespace faultline::flight_recorder {

// Reads `bytes`, which must outlive the dump. An early end gives what was whole, with `truncated`; anything that is not
// on the list or does not fit gives `rejection`, and what was whole before it.
void read_pickle(std::span<const unsigned char> bytes, Dump& dump);

}  // namespace faultline::flight_recorder
