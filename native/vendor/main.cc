// faultline-vendor: the small process that alone loads NVML, so that whatever the library does, it does here.
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/confine/rights.h"
#include "core/vendor/protocol.h"
#include "vendor/child_life.h"
#include "vendor/confine.h"

namespace faultline {
namespace {

constexpr char kUsage[] =
    "usage: faultline-vendor LIBRARY PARENT_PID DEVICES\n"
    "Started by the Faultline daemon, with its shared memory at descriptor 3 and an eventfd at 4; it is not run by hand.\n";

// Maps the supervisor's memory; null when it is not what this build understands.
RingLayout* map_ring() {
  struct stat status {};
  if (fstat(kRingFd, &status) != 0 || status.st_size < static_cast<off_t>(sizeof(RingLayout))) return nullptr;
  void* memory = mmap(nullptr, sizeof(RingLayout), PROT_READ | PROT_WRITE, MAP_SHARED, kRingFd, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* ring = static_cast<RingLayout*>(memory);
  return ring_matches(*ring, static_cast<std::size_t>(status.st_size)) ? ring : nullptr;
}

int run(int argc, char** argv) {
  if (argc != 4) {
    std::fputs(kUsage, stderr);
    return kExitUsage;
  }
  const auto parent = static_cast<pid_t>(std::strtol(argv[2], nullptr, 10));
  // Also when the daemon is killed outright.
  if (!confine::end_with(parent)) return kExitOrphaned;
  confine::close_from(kWakeFd + 1);
  fcntl(kRingFd, F_SETFD, FD_CLOEXEC);
  fcntl(kWakeFd, F_SETFD, FD_CLOEXEC);
  RingLayout* ring = map_ring();
  if (ring == nullptr) return kExitBadStart;
  const Confinement confinement = confine_child(argv[1], parent);
  if (confinement.orphaned) return kExitOrphaned;
  return run_child({*ring, argv[1], argv[3], confinement, parent});
}

}  // namespace
}  // namespace faultline

int main(int argc, char** argv) {
  const int status = faultline::run(argc, argv);
  // Threads that hang in the library and exit handlers of the library have no say.
  std::fflush(stderr);
  _exit(status);
}
