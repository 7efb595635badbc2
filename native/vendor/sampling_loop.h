// The child's life after start-up: load, list, sample until told to end.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/vendor/ring.h"

namespace faultline {

struct SamplingOptions {
  RingLayout& ring;
  std::string library;
  std::string excluded;
  pid_t parent;
};

// Gives the exit code. SIGTERM ends it cleanly, SIGUSR1 says that the interval in the ring changed.
int run_sampling(const SamplingOptions& options);

}  // namespace faultline
