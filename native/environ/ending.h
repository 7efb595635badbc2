// How a half ends: by a deadline where its work hangs in the kernel, which nothing else helps against, or at once.
#pragma once

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace faultline::environ_reader {

// Longest time that one process may take, s: one whose files hang in the kernel ends the reader instead of holding it up.
inline constexpr unsigned kMostSeconds = 1;

// SIGALRM ends the process after this many seconds; 0: no longer.
inline void end_after(unsigned seconds) {
  const itimerval once{{0, 0}, {static_cast<time_t>(seconds), 0}};
  ::syscall(SYS_setitimer, ITIMER_REAL, &once, nullptr);
}

// With no more than this one call, whatever a C library or a sanitizer does at a program's end.
[[noreturn]] inline void end_now(int status) {
  for (;;) ::syscall(SYS_exit_group, status);
}

}  // namespace faultline::environ_reader
