// Takes from a process all that reading bytes and writing an answer does not need.
#include "flight_recorder/program/confine.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/confine/call_filter.h"

namespace faultline::reader {

// A list of what may be called; all else ends the process.
bool filter_calls() {
  confine::CallFilter filter;
  filter.allow({SYS_read, SYS_write, SYS_close, SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_futex, SYS_getrandom,
                SYS_rt_sigprocmask, SYS_clock_gettime, SYS_exit, SYS_exit_group});
  filter.kill_if_bits(SYS_mmap, 2, PROT_EXEC);
  filter.kill_if_bits(SYS_mprotect, 2, PROT_EXEC);
  return filter.hold(confine::CallFilter::Otherwise::kKill);
}

std::optional<confine::Kept> give_up_rights(std::uint64_t most_memory, std::uint64_t most_cpu_seconds, pid_t parent) {
  confine::limit(RLIMIT_CORE, 0);
  confine::limit(RLIMIT_AS, most_memory);
  confine::limit(RLIMIT_CPU, most_cpu_seconds);
  confine::limit(RLIMIT_FSIZE, 0);
  confine::limit(RLIMIT_NOFILE, 0);
  confine::Kept kept;
  kept.step(confine::drop_user(confine::kNobody, confine::kNobody), "user");
  kept.step(confine::drop_capabilities(), "capabilities");
  // Another user takes the wish to end with the parent away.
  if (!confine::end_with(parent)) return std::nullopt;
  confine::hide_memory();
  kept.step(confine::no_new_privileges(), "new privileges");
  return kept;
}

}  // namespace faultline::reader
