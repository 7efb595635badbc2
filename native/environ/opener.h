// The half of `faultline-environ` that has the right to open files of other users' processes. It cannot read.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "environ/confine.h"

namespace faultline::environ_reader {

// The files of a process, in the order in which they are opened and handed over.
enum Opened : std::size_t { kStatBefore, kEnviron, kMaps, kStatAfter, kOpenedFiles };

struct Opening {
  std::int32_t errors[kOpenedFiles]{};  // errno; 0: its descriptor comes with the message, in this order
};

// Serves pid after pid that comes through `channel` until it is closed. `other`: a process whose environment can be opened
// only with the right. Does not return.
[[noreturn]] void serve_openings(int channel, pid_t other);

}  // namespace faultline::environ_reader
