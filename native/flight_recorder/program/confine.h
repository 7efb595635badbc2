// Takes from a process all that reading bytes and writing an answer does not need.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "core/confine/rights.h"

namespace faultline::reader {

// Both together leave a process that can read and write what is open, take memory that is not executable, and end. Open
// descriptors stay, and it ends with `parent`.
//
// All but the calls: before the process has a second thread. Nothing when the parent has ended already. `most_memory`: address
// space, bytes.
std::optional<confine::Kept> give_up_rights(std::uint64_t most_memory, std::uint64_t most_cpu_seconds, pid_t parent);
// For the thread that calls it, which can start no other afterwards. False where the system has no filters.
bool filter_calls();

}  // namespace faultline::reader
