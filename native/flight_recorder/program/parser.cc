// The process that parses dumps.
#include "flight_recorder/program/parser.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "core/confine/rights.h"
#include "flight_recorder/analyse.h"
#include "flight_recorder/program/confine.h"
#include "flight_recorder/program/wire.h"

namespace faultline::reader {
namespace {

constexpr int PIPE_BYTES = 1 << 20;

std::optional<flight_recorder::GivenFile> take(int pipe, Seen* seen) {
  if (seen == nullptr) return receive(pipe);
  seen->busy = false;
  ++seen->item;
  std::optional<flight_recorder::GivenFile> file = receive(pipe);
  if (file) seen->bytes += file->read.bytes.size();
  seen->busy = file.has_value();
  return file;
}

int parse(int pipe, const ParserRun& run, pid_t parent) {
  // The kernel names this process where it ends it, and the daemon must know its own.
  const std::string name = "pid " + std::to_string(getpid()) + "\n";
  if (run.for_daemon && !write_all(1, name.data(), name.size())) return EXIT_START;
  const std::optional<std::string> kept = give_up_all(run.memory, run.cpu_seconds, parent);
  if (!kept) return EXIT_ORPHANED;
  std::string answer = *kept + "\n";
  std::string summary;
  const std::string document =
      flight_recorder::analyse_given([&] { return take(pipe, run.seen); }, {run.length, run.job, &summary});
  if (document.empty()) {
    answer += std::to_string(run.memory >> 20);
    if (run.for_daemon) write_all(1, answer.data(), answer.size());
    return EXIT_MEMORY;
  }
  answer += document + "\n" + summary;
  return write_all(1, answer.data(), answer.size()) ? 0 : EXIT_START;
}

}  // namespace

Parser start_parser(const ParserRun& run) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
  const pid_t self = getpid();
  const pid_t parser = fork();
  if (parser == 0) {
    close(ends[1]);
    close(0);
    close(2);
    if (chdir("/") != 0 || !confine::end_with(self)) _exit(EXIT_ORPHANED);
    _exit(parse(ends[0], run, self));
  }
  close(ends[0]);
  if (parser < 0) close(ends[1]);
  return {parser, parser < 0 ? -1 : ends[1]};
}

int status_of(int waited) { return WIFSIGNALED(waited) ? EXIT_SIGNAL + WTERMSIG(waited) : WEXITSTATUS(waited); }

}  // namespace faultline::reader
