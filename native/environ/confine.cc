// What each half of `faultline-environ` keeps.
#include "environ/confine.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <initializer_list>

#include "core/confine/call_filter.h"
#include "core/confine/file_rules.h"
#include "core/confine/rights.h"
#include "core/processes/environ_protocol.h"

namespace faultline::environ_reader {
namespace {

constexpr unsigned kPerfmonBit = 38;  // CAP_PERFMON, younger than the headers of some build hosts

// Effective and permitted, and nothing a program could inherit.
bool keep_only(std::initializer_list<unsigned> capabilities, std::initializer_list<unsigned> for_later = {}) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2]{};
  for (const unsigned each : capabilities) sets[each / 32].effective |= 1U << (each % 32);
  for (const unsigned each : capabilities) sets[each / 32].permitted |= 1U << (each % 32);
  for (const unsigned each : for_later) sets[each / 32].permitted |= 1U << (each % 32);
  return confine::start_without_capabilities() && syscall(SYS_capset, &header, sets) == 0;
}

bool can_open_environment_of(pid_t pid) {
  char path[32] = "/proc/";
  std::strcpy(std::to_chars(path + 6, path + 20, pid).ptr, "/environ");
  const int fd = openat(AT_FDCWD, path, kOpenFlags);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

}  // namespace

OpenerRights settle_rights(pid_t other) {
  OpenerRights rights;
  if ((keep_only({CAP_DAC_READ_SEARCH, kPerfmonBit}, {CAP_SYS_PTRACE}) || keep_only({CAP_DAC_READ_SEARCH, kPerfmonBit})) &&
      can_open_environment_of(other) && keep_only({CAP_DAC_READ_SEARCH, kPerfmonBit})) {
    confine::FileRules files;
    files.may_read("/proc");
    rights = {kPerfmon, files.hold() ? 1U : 0U};
  } else if (keep_only({CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE}) && can_open_environment_of(other)) {
    rights.way = kPtrace;
  } else {
    keep_only({});
  }
  return rights;
}

bool settle_listing_rights(pid_t other) {
  char path[40] = "/proc/";
  std::strcpy(std::to_chars(path + 6, path + 20, other).ptr, "/fd/0");
  char target[8];
  if (keep_only({CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE}) && readlink(path, target, sizeof target) >= 0) return true;
  keep_only({});
  return false;
}

bool allow_listing_only() {
  constexpr std::uint32_t kMay = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_PATH | O_LARGEFILE;
  confine::CallFilter filter;
  filter.allow({SYS_close, SYS_recvmsg, SYS_sendmsg, SYS_setitimer, SYS_exit, SYS_exit_group, SYS_getdents64, SYS_readlinkat,
                SYS_fstat, SYS_newfstatat, SYS_fstatfs});
  filter.refuse_unless_bits(SYS_openat, 2, O_CLOEXEC, ~kMay, EPERM);
  return filter.hold(confine::CallFilter::Otherwise::kKill);
}

bool allow_opening_only() {
  confine::CallFilter filter;
  filter.allow({SYS_close, SYS_recvmsg, SYS_sendmsg, SYS_setitimer, SYS_exit, SYS_exit_group});
  filter.refuse_unless(SYS_openat, 2, kOpenFlags, EPERM);
  return filter.hold(confine::CallFilter::Otherwise::kKill);
}

bool allow_reading_only() {
  confine::CallFilter filter;
  filter.allow({SYS_read, SYS_close, SYS_recvmsg, SYS_sendmsg, SYS_setitimer, SYS_exit, SYS_exit_group, SYS_fstat,
                SYS_newfstatat, SYS_fstatfs, SYS_clock_gettime});
  return filter.hold(confine::CallFilter::Otherwise::kKill);
}

}  // namespace faultline::environ_reader
