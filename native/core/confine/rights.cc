// Straight to the kernel where glibc would look for other threads.
#include "core/confine/rights.h"

#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace faultline::confine {
namespace {

constexpr int kMostCapabilities = 64;

struct Capabilities {
  __user_cap_data_struct data[2]{};
  bool known;

  Capabilities() {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    known = syscall(SYS_capget, &header, data) == 0;
  }
  bool has(unsigned capability) const { return known && (data[0].effective & (1U << capability)) != 0; }
  bool none() const { return known && (data[0].effective | data[0].permitted | data[1].effective | data[1].permitted) == 0; }
};

void drop_bounds() {
  if (!Capabilities().has(CAP_SETPCAP)) return;
  for (int capability = 0; capability < kMostCapabilities; ++capability) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno == EINVAL) break;
  }
}

}  // namespace

bool drop_user(uid_t user, gid_t group) {
  if (geteuid() != 0) return true;
  drop_bounds();  // the other user may not
  return setgroups(0, nullptr) == 0 && syscall(SYS_setresgid, group, group, group) == 0 &&
         syscall(SYS_setresuid, user, user, user) == 0;
}

bool may_signal_others() { return Capabilities().has(CAP_KILL); }

bool drop_capabilities() {
  // Without the right to it there is no need: what is not permitted comes back by a program's file alone, and
  // no_new_privileges ends that.
  drop_bounds();
  start_without_capabilities();
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2]{};
  return syscall(SYS_capset, &header, none) == 0 || Capabilities().none();
}

bool start_without_capabilities() { return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0; }

void limit(int resource, std::uint64_t value) {
  const rlimit both{value, value};
  setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

bool hide_memory() { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }

bool no_new_privileges() { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

void close_from(int first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0) == 0) return;
#endif
  for (int fd = first; fd < 1024; ++fd) close(fd);
}

bool end_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return getppid() == parent;
}

}  // namespace faultline::confine
