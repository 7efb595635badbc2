// Each attempt harms nothing where it succeeds.
#include "fake/probe.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <map>

namespace faultline::fake {
namespace {

long opened(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  if (fd >= 0) close(fd);
  return fd;
}

std::string of_parent(const char* file) { return "/proc/" + std::to_string(getppid()) + "/" + file; }

long forked() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, nullptr, 0);
  return child;
}

// In this process, so it ends where it may.
long executed() {
  char* const arguments[]{const_cast<char*>("true"), nullptr};
  return execve("/bin/true", arguments, nullptr);
}

long read_parent() {
  char byte = 0;
  const iovec here{&byte, 1}, there{const_cast<char*>("x"), 1};
  return process_vm_readv(getppid(), &here, 1, &there, 1, 0);
}

// The errno of memory that cannot be read there is that of a process that may be read.
const std::map<std::string, std::function<long()>>& attempts() {
  static const std::map<std::string, std::function<long()>> all{
      {"socket unix", [] { return socket(AF_UNIX, SOCK_STREAM, 0); }},
      {"socket inet", [] { return socket(AF_INET, SOCK_STREAM, 0); }},
      {"socket netlink", [] { return socket(AF_NETLINK, SOCK_RAW, 0); }},
      {"fork", forked},
      {"execve", executed},
      {"ptrace", [] { return ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr); }},
      {"process_vm_readv", read_parent},
      {"parent memory", [] { return opened(of_parent("mem"), O_RDWR); }},
      {"parent environment", [] { return opened(of_parent("environ"), O_RDONLY); }},
      {"kill parent", [] { return kill(getppid(), 0); }},
      {"kill init", [] { return kill(1, 0); }},
      {"kill all", [] { return kill(-1, 0); }},
      {"kill itself", [] { return kill(getpid(), 0); }},
      {"tgkill parent", [] { return syscall(SYS_tgkill, getppid(), getppid(), 0); }},
      {"pidfd of parent's file", [] { return syscall(438, 0, 0, 0); }},
      {"setuid", [] { return syscall(SYS_setresuid, 0, 0, 0); }},
      {"capset", [] { return syscall(SYS_capset, nullptr, nullptr); }},
      {"dumpable", [] { return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); }},
      {"mount", [] { return mount("none", "/mnt", "tmpfs", 0, nullptr); }},
      {"unshare", [] { return unshare(CLONE_NEWUSER); }},
      {"bpf", [] { return syscall(SYS_bpf, 5, nullptr, 0); }},
      {"perf_event_open", [] { return syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); }},
      {"keyctl", [] { return syscall(SYS_keyctl, 0, -3, 0); }},
      {"userfaultfd", [] { return syscall(SYS_userfaultfd, 0); }},
      {"io_uring", [] { return syscall(425, 1, nullptr); }},
      {"init_module", [] { return syscall(SYS_init_module, nullptr, 0, nullptr); }},
      {"clone3", [] { return syscall(435, nullptr, 0); }},
      {"unknown call", [] { return syscall(999); }},
      {"priority of parent", [] { return syscall(SYS_prlimit64, getppid(), 7, nullptr, nullptr); }},
  };
  return all;
}

}  // namespace

std::string probe(const std::string& what) {
  errno = 0;
  long result = -1;
  if (const auto found = attempts().find(what); found != attempts().end()) result = found->second();
  else if (what.starts_with("read ")) result = opened(what.substr(5), O_RDONLY);
  else if (what.starts_with("write ")) result = opened(what.substr(6), O_WRONLY | O_CREAT);
  else if (what.starts_with("remove ")) result = unlink(what.substr(7).c_str());
  else if (what.starts_with("folder ")) result = mkdir(what.substr(7).c_str(), 0700);
  else return what + ": unknown";
  return what + ": " + (result >= 0 ? "done" : std::strerror(errno));
}

}  // namespace faultline::fake
