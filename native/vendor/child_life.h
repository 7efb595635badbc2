// The child's life after start-up: load the library, list the devices, calibrate, sample until asked to end.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/vendor/ring.h"
#include "vendor/confine.h"

namespace faultline {

struct ChildOptions {
  RingLayout& ring;
  std::string library;
  std::string devices;  // KnownDevices
  Confinement confinement;
  pid_t parent;
};

// Gives the exit code.
int run_child(const ChildOptions& options);

}  // namespace faultline
