// Takes from a process all that reading bytes and writing an answer does not need.
#pragma once

#include <cstdint>
#include <string>

namespace faultline::reader {

// Afterwards the process can read and write what is open, take memory that is not executable, and end. Open descriptors
// stay. What the system refused to take is named; empty when all of it is gone. `most_memory`: address space, bytes.
std::string give_up_all(std::uint64_t most_memory, std::uint64_t most_cpu_seconds);

}  // namespace faultline::reader
