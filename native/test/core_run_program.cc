// One run of a program: its answer, every way in which it can end, what it is given, and that nothing of it is left.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "core/run_program.h"
#include "test/check.h"
#include "test/temporary_folder.h"

using namespace faultline;

namespace {

constexpr std::int64_t MINUTE_NS = 60'000'000'000;

class Scripts {
 public:
  std::string script(const std::string& text) {
    const std::string name = "script-" + std::to_string(++count_);
    folder_.write(name, "#!/bin/sh\n" + text + "\n");
    ::chmod(folder_.path(name).c_str(), 0755);
    return folder_.path(name);
  }
  std::string path(const std::string& name) const { return folder_.path(name); }

 private:
  TemporaryFolder folder_;
  int count_ = 0;
};

ProgramAnswer answer_of(const ProgramRun& run, const StopSignal& stop = StopSignal()) {
  ProgramAnswer answer;
  int calls = 0;
  run_program(run, stop, [&](ProgramAnswer given) { answer = std::move(given), ++calls; });
  CHECK_EQ(calls, 1);
  return answer;
}

bool nothing_left() { return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }

int open_descriptors() {
  int open = 0;
  for (int fd = 0; fd < 1024; ++fd) open += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return open;
}

std::string show(ProgramEnd end) { return std::to_string(static_cast<int>(end)); }

}  // namespace

int main() {
  ::signal(SIGPIPE, SIG_IGN);
  Scripts scripts;
  const int open_before = open_descriptors();

  checks::test("a program is given its input and its answer is taken, both larger than a pipe", [&] {
    const std::string input(3'000'000, 'x');
    const auto answer = answer_of({scripts.script("exec cat"), input, MINUTE_NS, input.size()});
    CHECK_EQ(show(answer.end), show(ProgramEnd::exited));
    CHECK_EQ(answer.number, 0);
    CHECK(answer.output == input);
  });
  checks::test("its pid and its first line are reported while it runs", [&] {
    int pid = 0, lines = 0;
    std::string line;
    ProgramRun run{scripts.script("echo pid $$; echo more; sleep 0.05; echo end"), "", MINUTE_NS, 4096};
    run.started = [&](int started) { pid = started; };
    run.first_line = [&](std::string_view first) { line = first, ++lines; };
    const auto answer = answer_of(run);
    CHECK_EQ(lines, 1);
    CHECK_EQ(line, "pid " + std::to_string(pid));
    CHECK_EQ(answer.output, line + "\nmore\nend\n");
  });
  checks::test("it is given the pid of who started it, and has no environment and nothing that is close-on-exec", [&] {
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int own = fcntl(null, F_DUPFD_CLOEXEC, 300);
    const std::string text = "echo \"$# $1\"; tr '\\0' '\\n' </proc/$$/environ; [ -e /proc/$$/fd/" + std::to_string(own) + " ]; echo $?";
    const auto answer = answer_of({scripts.script(text), "", MINUTE_NS, 4096});
    ::close(own);
    ::close(null);
    CHECK_EQ(answer.output, "1 " + std::to_string(getpid()) + "\n1\n");
  });
  checks::test("its signals are at their defaults though ours are blocked and ignored", [&] {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const auto answer = answer_of({scripts.script("exec sed -nE 's/^Sig(Blk|Ign):\\s*//p' /proc/self/status"), "", MINUTE_NS, 4096});
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    // Without 32 and 33, which are the C library's own.
    const std::uint64_t known = ~(std::uint64_t{3} << 31);
    CHECK_EQ(answer.output.size(), std::size_t{34});
    CHECK_EQ(std::strtoull(answer.output.c_str(), nullptr, 16) & known, 0u);
    CHECK_EQ(std::strtoull(answer.output.substr(17).c_str(), nullptr, 16) & known, 0u);
  });
  checks::test("a status, a signal and a program that is not there are told apart", [&] {
    const auto status = answer_of({scripts.script("exit 7"), "unread", MINUTE_NS, 4096});
    CHECK_EQ(show(status.end), show(ProgramEnd::exited));
    CHECK_EQ(status.number, 7);
    const auto killed = answer_of({scripts.script("kill -SEGV $$"), "", MINUTE_NS, 4096});
    CHECK_EQ(show(killed.end), show(ProgramEnd::signalled));
    CHECK_EQ(killed.number, SIGSEGV);
    const auto missing = answer_of({scripts.path("nothing"), "", MINUTE_NS, 4096});
    CHECK_EQ(show(missing.end), show(ProgramEnd::not_started));
    CHECK_EQ(missing.number, ENOENT);
  });
  checks::test("one that ends before it read its input is reported by its status", [&] {
    const auto answer = answer_of({scripts.script("exec <&-; exit 5"), std::string(1'000'000, 'x'), MINUTE_NS, 4096});
    CHECK_EQ(answer.number, 5);
  });
  checks::test("one that says no more is waited for", [&] {
    const auto answer = answer_of({scripts.script("echo all; exec >&-; sleep 0.2; exit 9"), "", MINUTE_NS, 4096});
    CHECK_EQ(show(answer.end), show(ProgramEnd::exited));
    CHECK_EQ(answer.number, 9);
    CHECK_EQ(answer.output, "all\n");
  });
  checks::test("one that takes too long or says too much is ended", [&] {
    const auto late = answer_of({scripts.script("exec sleep 600"), "", 50'000'000, 4096});
    CHECK_EQ(show(late.end), show(ProgramEnd::late));
    const auto deaf = answer_of({scripts.script("exec >&-; exec sleep 600"), "", 50'000'000, 4096});
    CHECK_EQ(show(deaf.end), show(ProgramEnd::late));
    const auto much = answer_of({scripts.script("exec yes"), "", MINUTE_NS, 100'000});
    CHECK_EQ(show(much.end), show(ProgramEnd::too_much));
    CHECK(much.output.empty());
  });
  checks::test("one that is stopped is ended, at its start and in the middle", [&] {
    StopSignal before;
    before.raise();
    CHECK_EQ(show(answer_of({scripts.script("exec sleep 600"), "", MINUTE_NS, 4096}, before).end), show(ProgramEnd::stopped));
    StopSignal stop;
    const std::string begun = scripts.path("begun");
    std::thread stopper([&] {
      struct stat status {};
      while (::stat(begun.c_str(), &status) != 0) std::this_thread::yield();
      stop.raise();
    });
    const auto answer = answer_of({scripts.script(": >" + begun + "; exec sleep 600"), "", MINUTE_NS, 4096}, stop);
    stopper.join();
    CHECK_EQ(show(answer.end), show(ProgramEnd::stopped));
  });
  checks::test("several at once each get their own answer", [&] {
    const std::string program = scripts.script("exec cat");
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        const std::string input(100'000 + static_cast<std::size_t>(i), static_cast<char>('a' + i));
        const StopSignal stop;
        run_program({program, input, MINUTE_NS, 1 << 20}, stop, [&](ProgramAnswer answer) { right += answer.output == input ? 1 : 0; });
      });
    }
    for (std::thread& each : threads) each.join();
    CHECK_EQ(right.load(), 8);
  });
  checks::test("no process and no descriptor is left", [&] {
    CHECK(nothing_left());
    CHECK_EQ(open_descriptors(), open_before);
  });
  return checks::result();
}
