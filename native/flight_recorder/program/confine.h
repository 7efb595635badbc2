// Takes from a process all that reading bytes and writing an answer does not need.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace faultline::reader {

// Afterwards the process can read and write what is open, take memory that is not executable, and end. Open descriptors
// stay, and it ends with `parent`. What the system refused to take is named; empty when all of it is gone, nothing when the
// parent has ended already. `most_memory`: address space, bytes.
std::optional<std::string> give_up_all(std::uint64_t most_memory, std::uint64_t most_cpu_seconds, pid_t parent);

}  // namespace faultline::reader
