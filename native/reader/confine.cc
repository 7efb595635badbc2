// Takes from a process all that reading bytes and writing an answer does not need.
#include "reader/confine.h"

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

#include <grp.h>

namespace faultline::reader {
namespace {

// Room for 1,024 ranks of 2,000 entries several times over.
constexpr rlim_t MAX_MEMORY = rlim_t{1} << 30;
constexpr rlim_t MAX_CPU_SECONDS = 120;
// "nobody" of every distribution.
constexpr unsigned NOBODY = 65534;

#if defined(__x86_64__)
constexpr unsigned ARCHITECTURE = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned ARCHITECTURE = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned ARCHITECTURE = 0;
#endif

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  // A unit that forbids this has limits of its own.
  setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

bool drop_user() {
  if (geteuid() != 0) return true;
  // Straight to the kernel: there is one thread, and glibc's own would look for others.
  return setgroups(0, nullptr) == 0 && syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) == 0 &&
         syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) == 0;
}

bool drop_capabilities() {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2]{};
  return syscall(SYS_capset, &header, none) == 0;
}

// A list of what may be called; all else ends the process.
bool filter_calls() {
  if (ARCHITECTURE == 0) return false;
  constexpr unsigned NUMBER = offsetof(seccomp_data, nr);
  constexpr unsigned PROTECTION = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);  // third argument, low half
  std::vector<sock_filter> program;
  const auto load = [&](unsigned offset) { program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); };
  const auto answer = [&](unsigned action) { program.push_back(BPF_STMT(BPF_RET | BPF_K, action)); };
  load(offsetof(seccomp_data, arch));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
  answer(SECCOMP_RET_KILL_PROCESS);
  load(NUMBER);
  for (const long call : {SYS_read, SYS_write, SYS_close, SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_futex,
                          SYS_getrandom, SYS_rt_sigprocmask, SYS_clock_gettime, SYS_exit, SYS_exit_group}) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    answer(SECCOMP_RET_ALLOW);
  }
  for (const long call : {SYS_mmap, SYS_mprotect}) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 4));
    load(PROTECTION);
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0));
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_KILL_PROCESS);
  }
  answer(SECCOMP_RET_KILL_PROCESS);
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

}  // namespace

std::string confine() {
  std::string kept;
  const auto step = [&](bool done, const char* what) {
    if (!done) kept += (kept.empty() ? "" : ", ") + std::string(what);
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, MAX_MEMORY);
  limit(RLIMIT_CPU, MAX_CPU_SECONDS);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 0);
  step(drop_user(), "user");
  step(drop_capabilities(), "capabilities");
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  step(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "new privileges");
  step(filter_calls(), "system calls");
  return kept;
}

}  // namespace faultline::reader
