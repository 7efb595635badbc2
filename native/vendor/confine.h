// Takes from the child, before it loads the vendor's library, all that reading GPUs does not need.
#pragma once

#include <sys/types.h>

#include <string>

namespace faultline {

struct Confinement {
  // Says of itself what holds: "all rights are given up", or what was kept and why.
  std::string text;
  bool complete = true;
  // The parent ended meanwhile.
  bool orphaned = false;
};

// For a process with one thread. `library` as it is configured: a path, or a name for the loader.
Confinement confine_child(const std::string& library, pid_t parent);

}  // namespace faultline
