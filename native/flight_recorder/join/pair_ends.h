// Whether the other side of a send or receive that never ended had ended there.
#pragma once

#include <cstdint>

#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {

// `op`: an unfinished send or receive of `waits`, to or from `other`. False where the dumps do not tell.
bool ended_at_peer(const Join& join, const Group& group, const Member& waits, std::uint32_t op, const Member& other);

// True when other operations have the same number: parts of one launch, which end together.
bool is_part_of_launch(const Join& join, std::uint32_t node, std::uint32_t op);

}  // namespace faultline::flight_recorder
