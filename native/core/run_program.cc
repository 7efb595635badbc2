// Starts a program, gives it its input and takes its one answer.
#include "core/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/clock.h"
#include "core/files/descriptor.h"

namespace faultline {
namespace {

// Where a descriptor cannot tell of an end or a stop (kernels before 5.3, descriptors used up), it is asked for this often.
constexpr std::int64_t kAskEveryNs = 20'000'000;

bool make_pipe(Descriptor& to_read, Descriptor& to_write) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  to_read.reset(ends[0]);
  to_write.reset(ends[1]);
  return true;
}

class Program {
 public:
  Program(const ProgramRun& run, const StopSignal& stop) : run_(run), stop_(stop) {}

  // 0, or the errno. posix_spawn shares memory with the child until it executes: unlike fork it copies no page table, and
  // only this thread waits for it.
  int start() {
    Descriptor its_input, its_output;
    if (!make_pipe(its_input, input_) || !make_pipe(output_, its_output)) return errno;
    for (const int own : {input_.get(), output_.get()}) fcntl(own, F_SETFL, O_NONBLOCK);
    const std::string parent = std::to_string(getpid());
    char* const arguments[]{const_cast<char*>(run_.program.c_str()), const_cast<char*>(parent.c_str()), nullptr};
    char* const environment[]{nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, its_input.get(), 0);
    posix_spawn_file_actions_adddup2(&files, its_output.get(), 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int error = posix_spawn(&pid_, run_.program.c_str(), &files, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) {
      pid_ = -1;
      return error;
    }
    if (run_.started) run_.started(pid_);
#ifdef SYS_pidfd_open
    gone_.reset(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));  // close-on-exec by definition
#endif
    return 0;
  }

  // Until it has ended and said all, or must be ended.
  ProgramAnswer converse() {
    const std::int64_t deadline_ns = monotonic_now() + run_.deadline_ns;
    for (;;) {
      if (stop_.raised()) return {ProgramEnd::stopped, 0, {}};
      const std::int64_t left_ns = deadline_ns - monotonic_now();
      if (left_ns <= 0) return {ProgramEnd::late, 0, {}};
      if (pid_ > 0 && waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = -1;
      if (pid_ < 0 && output_.get() < 0) return ended();
      wait(left_ns);
      write_input();
      if (!read_output()) return {ProgramEnd::too_much, 0, {}};
    }
  }

  void end() {
    if (pid_ > 0) kill(pid_, SIGKILL);  // not reaped yet, so the number is still its own
    input_.reset();
    output_.reset();
  }

  void reap() {
    while (pid_ > 0 && waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
  }

 private:
  ProgramAnswer ended() {
    if (WIFSIGNALED(status_)) return {ProgramEnd::signalled, WTERMSIG(status_), {}};
    return {ProgramEnd::exited, WEXITSTATUS(status_), std::move(said_)};
  }

  void wait(std::int64_t left_ns) const {
    // poll passes over what is negative.
    pollfd events[]{{output_.get(), POLLIN, 0},
                    {input_.get(), POLLOUT, 0},
                    {stop_.fd(), POLLIN, 0},
                    {pid_ > 0 ? gone_.get() : -1, POLLIN, 0}};
    const bool blind = stop_.fd() < 0 || (gone_.get() < 0 && output_.get() < 0);
    const std::int64_t slice_ns = blind ? std::min(left_ns, kAskEveryNs) : left_ns;
    const timespec timeout{static_cast<time_t>(slice_ns / 1'000'000'000), static_cast<long>(slice_ns % 1'000'000'000)};
    ::ppoll(events, std::size(events), &timeout, nullptr);
  }

  void write_input() {
    while (input_.get() >= 0 && written_ < run_.input.size()) {
      const ssize_t put = ::write(input_.get(), run_.input.data() + written_, run_.input.size() - written_);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0 && errno == EAGAIN) return;
      if (put < 0) break;  // it ended or closed it before it read all: its status says how
      written_ += static_cast<std::size_t>(put);
    }
    input_.reset();
  }

  // False when it said too much.
  bool read_output() {
    char part[65536];
    while (output_.get() >= 0) {
      const ssize_t got = ::read(output_.get(), part, sizeof part);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return true;
      if (got <= 0) {
        output_.reset();
        return true;
      }
      if (said_.size() + static_cast<std::size_t>(got) > run_.most_bytes) return false;
      said_.append(part, static_cast<std::size_t>(got));
      tell_first_line();
    }
    return true;
  }

  void tell_first_line() {
    const std::size_t end = said_.find('\n');
    if (told_ || end == std::string::npos) return;
    told_ = true;
    if (run_.first_line) run_.first_line(std::string_view(said_).substr(0, end));
  }

  const ProgramRun& run_;
  const StopSignal& stop_;
  bool told_ = false;
  Descriptor input_, output_;  // our ends
  Descriptor gone_;            // readable when it ended
  pid_t pid_ = -1;
  int status_ = 0;
  std::size_t written_ = 0;
  std::string said_;
};

}  // namespace

void run_program(const ProgramRun& run, const StopSignal& stop, const std::function<void(ProgramAnswer)>& done) {
  Program program(run, stop);
  if (const int error = program.start(); error != 0) {
    done({ProgramEnd::not_started, error, {}});
    return;
  }
  ProgramAnswer answer = program.converse();
  program.end();
  done(std::move(answer));
  program.reap();
}

}  // namespace faultline
