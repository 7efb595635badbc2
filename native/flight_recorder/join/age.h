// How old what a rank left unfinished was when it was dumped, and whether that is long for this job.
#pragma once

#include <cstdint>
#include <span>

#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {

// Of each group how long its operations took, and when the rank last did anything. `rows` of the dump, in step with `ops`.
void measure_pace(const Dump& dump, std::span<const std::uint32_t> rows, std::span<const Op> ops, RankDump& into);

// A job that runs has operations in flight at every moment. Where nothing that is unfinished had waited for long when its
// rank was dumped, there is no stall: the stalls go, and what was so young is kept. Needs the time of the dump; without
// one, and for what had timed out, a stall is a stall.
void drop_young(Join& join);

}  // namespace faultline::flight_recorder
