// The pipe from the process that opens dump files to the one that reads what is in them.
#pragma once

#include <optional>

#include "flight_recorder/analyse.h"

namespace faultline::reader {

// False when the other end is gone.
bool send(int fd, const flight_recorder::GivenFile& file);
// Nullopt at the end of the pipe, and for what is not in its form.
std::optional<flight_recorder::GivenFile> receive(int fd);

// Whole buffers through short reads and writes; false at an end or error before.
bool read_all(int fd, void* into, std::size_t size);
bool write_all(int fd, const void* from, std::size_t size);

}  // namespace faultline::reader
