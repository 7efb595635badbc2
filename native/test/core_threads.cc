// Readers that the system gives no thread: each says that it failed, not that what it reads is not there.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>

#include "core/kernel_log/kernel_log.h"
#include "core/rapl/rapl.h"
#include "core/thread.h"
#include "test/check.h"
#include "test/collecting_sink.h"
#include "test/temporary_folder.h"

using namespace faultline;

namespace {

// Refuses every new thread from here on, as a full pids cgroup does.
bool refuse_threads() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
  };
  sock_fprog filter{.len = sizeof(program) / sizeof(program[0]), .filter = program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// In its own process; true when `body` said so there.
bool without_threads(const std::function<bool()>& body) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!refuse_threads() || start_thread("none", [] {})) ::_exit(2);
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main() {
  TemporaryFolder folder;
  checks::test("kernel log: without a thread it failed", [&] {
    CHECK(without_threads([&] {
      const auto sink = std::make_shared<CollectingSink>();
      const auto log = KernelLog::start(sink, {.path = folder.path("kmsg"), .user_lines = false, .from_start = true});
      return sink->noticed("kernel_state", "failed") && !sink->noticed("kernel_state", "absent");
    }));
  });
  checks::test("CPU power: without a thread it failed", [&] {
    CHECK(without_threads([&] {
      const auto sink = std::make_shared<CollectingSink>();
      const auto rapl = Rapl::start(sink, {.sys_root = folder.root(), .host = "node-3", .interval_ns = 1'000'000'000});
      return sink->noticed("rapl_state", "failed") && !sink->noticed("rapl_state", "absent");
    }));
  });
  return checks::result();
}
