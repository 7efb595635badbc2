// The process that parses dumps.
#include "flight_recorder/program/parser.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <memory>
#include <optional>

#include "core/confine/rights.h"
#include "flight_recorder/analyse.h"
#include "flight_recorder/helper.h"
#include "flight_recorder/program/confine.h"
#include "flight_recorder/program/wire.h"

namespace faultline::reader {
namespace {

constexpr int PIPE_BYTES = 1 << 20;

std::optional<flight_recorder::GivenFile> take(int pipe, Seen* seen, unsigned reader) {
  if (seen == nullptr) return receive(pipe);
  seen->readers[reader].item = 0;
  const std::uint32_t item = ++seen->taken;
  std::optional<flight_recorder::GivenFile> file = receive(pipe);
  if (file) seen->bytes += file->read.bytes.size();
  if (file) seen->readers[reader].item = item;
  return file;
}

// Null where the system gives no thread: then one does all.
std::unique_ptr<flight_recorder::Helper> helper_for(const ParserRun& run) try {
  if (run.readers < 2) return nullptr;
  // Of one arena: another would take address space, and ask how many processors there are.
  mallopt(M_ARENA_MAX, 1);
  return std::make_unique<flight_recorder::Helper>();
} catch (const std::exception&) {
  return nullptr;
}

int parse(int pipe, const ParserRun& run, pid_t parent) {
  // The kernel names this process where it ends it, and the daemon must know its own.
  const std::string name = "pid " + std::to_string(getpid()) + "\n";
  if (run.for_daemon && !write_all(1, name.data(), name.size())) return EXIT_START;
  std::optional<confine::Kept> kept = give_up_rights(run.memory, run.cpu_seconds, parent);
  if (!kept) return EXIT_ORPHANED;
  const std::unique_ptr<flight_recorder::Helper> helper = helper_for(run);
  // A thread that starts inherits all but this, and to start one is not allowed behind it.
  bool here = false, there = true;
  const auto hold = [&here] { here = filter_calls(); };
  if (helper) flight_recorder::Helper::both(helper.get(), hold, [&there] { there = filter_calls(); });
  else hold();
  kept->step(here && there, "system calls");
  std::string answer = kept->text() + "\n";
  std::string summary;
  const std::string document = flight_recorder::analyse_given([&](unsigned reader) { return take(pipe, run.seen, reader); },
                                                              {run.length, run.job, &summary, helper.get()});
  if (document.empty()) {
    answer += std::to_string(run.memory >> 20);
    if (run.for_daemon) write_all(1, answer.data(), answer.size());
    return EXIT_MEMORY;
  }
  answer += document + "\n" + summary;
  return write_all(1, answer.data(), answer.size()) ? 0 : EXIT_START;
}

}  // namespace

std::uint32_t Seen::first_in_work() const {
  std::uint32_t first = 0;
  for (const Reader& each : readers) {
    const std::uint32_t item = each.item;
    if (item != 0 && (first == 0 || item < first)) first = item;
  }
  return first;
}

std::uint32_t Seen::item() const {
  const std::uint32_t first = first_in_work();
  return first == 0 ? taken.load() : first;
}

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
