// What the keys of a dump mean: which belong to an entry and which to the top level, and where each value goes.
#pragma once

#include "core/flight_recorder/dump.h"

namespace faultline::flight_recorder {

// True for keys that only an entry has.
bool is_entry_key(std::uint32_t key);
bool is_top_key(std::uint32_t key);
// False for a key that entries do not have. Values of the wrong kind leave the field absent.
bool set_entry_field(const Dump& dump, Row& row, std::uint32_t key, Value value);

}  // namespace faultline::flight_recorder
