// What each half of `faultline-environ` keeps: the least that the kernel lets one do with.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>

namespace faultline::environ_reader {

// All that the opener can do, sent once as it begins.
struct OpenerRights {
  std::uint32_t way = 0;       // Way
  std::uint32_t shut_off = 0;  // the kernel holds it to /proc
};

// The only way in which the opener may open anything.
inline constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

// CAP_PERFMON lets an environment be opened from Linux 6.15 on, and Landlock with it; before that it takes CAP_SYS_PTRACE, which
// Landlock would take away. What is not needed is given up for good. `other`: a process whose memory is hidden.
OpenerRights settle_rights(pid_t other);

// What other users' processes have open takes CAP_SYS_PTRACE on every kernel, for which Landlock leaves no room. False where it may
// not be seen: then no right is kept.
bool settle_listing_rights(pid_t other);

// Opening for reading, and messages: no call that reads, seeks, maps, traces or writes. False where the kernel has no filters.
bool allow_opening_only();
// The same, lists of folders, texts of links and what a file is.
bool allow_listing_only();
// Reading what is open, and messages: no call that opens, seeks or maps.
bool allow_reading_only();

}  // namespace faultline::environ_reader
