// Operations that were launched together: what became of the launch became of them.
#pragma once

#include <cstdint>
#include <span>

#include "flight_recorder/load/job.h"

namespace faultline::flight_recorder {

// `rows`: of `ops`, in step with them.
void settle_launches(const Dump& dump, std::span<const std::uint32_t> rows, const Job& job, const RankDump& of, std::span<Op> ops);

}  // namespace faultline::flight_recorder
