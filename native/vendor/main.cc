// faultline-vendor: the small process that alone loads NVML, so that whatever the library does, it does here.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/vendor/protocol.h"
#include "vendor/child_life.h"

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

void close_inherited() {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, kWakeFd + 1, ~0U, 0) == 0) return;
#endif
  for (int fd = kWakeFd + 1; fd < 1024; ++fd) close(fd);
}

int run(int argc, char** argv) {
  if (argc != 4) {
    std::fputs(kUsage, stderr);
    return kExitUsage;
  }
  const auto parent = static_cast<pid_t>(std::strtol(argv[2], nullptr, 10));
  // Also when the daemon is killed outright; the second line closes the gap before the first.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return kExitOrphaned;
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  close_inherited();
  fcntl(kRingFd, F_SETFD, FD_CLOEXEC);
  fcntl(kWakeFd, F_SETFD, FD_CLOEXEC);
  RingLayout* ring = map_ring();
  if (ring == nullptr) return kExitBadStart;
  return run_child({*ring, argv[1], argv[3], parent});
}

}  // namespace
}  // namespace faultline

int main(int argc, char** argv) {
  const int status = faultline::run(argc, argv);
  // Threads that hang in the library and exit handlers of the library have no say.
  std::fflush(stderr);
  _exit(status);
}
