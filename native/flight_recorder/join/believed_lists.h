// Who is in a process group where dumps contradict each other.
#pragma once

#include <cstdint>
#include <vector>

#include "flight_recorder/load/job.h"

namespace faultline::flight_recorder {

// By dump and its group the list of ranks (of Job::rank_lists) to go by; NO_ID where there is none. Of two lists for one
// group that share a member who says otherwise, that of fewer dumps is not believed, and none that reaches beyond the
// world's: one damaged file neither invents a rank that others then wait for, nor takes one out.
std::vector<std::vector<std::uint32_t>> believed_lists(const Job& job);

}  // namespace faultline::flight_recorder
