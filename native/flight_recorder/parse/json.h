// The JSON form of a dump, read on the same stack as pickle.
#pragma once

#include <span>

#include "flight_recorder/parse/dump.h"

namespace faultline::flight_recorder {

// As read_pickle; offsets are bytes of the text, the opcode is -1.
void read_json(std::span<const unsigned char> bytes, Dump& dump);

}  // namespace faultline::flight_recorder
