// faultline-fr: reads flight-recorder dumps for the daemon. One process opens the files, another without any right reads them.
// It also starts the other child that reads what others wrote, the host's inventory, with as few rights as that needs.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/confine/rights.h"
#include "flight_recorder/files/file.h"
#include "flight_recorder/program/confine.h"
#include "flight_recorder/program/inventory.h"
#include "flight_recorder/program/memory_room.h"
#include "flight_recorder/program/wire.h"

namespace faultline::reader {
namespace {

constexpr char USAGE[] =
    "usage: faultline-fr PARENT_PID <PATHS\n"
    "       faultline-fr inventory PARENT_PID FOLDER PROGRAM ARGUMENTS...\n"
    "Started by the Faultline daemon with paths on standard input, each ended by a zero byte; it is not run by hand.\n";
constexpr int EXIT_USAGE = 2, EXIT_START = 3, EXIT_MEMORY = 4, EXIT_ORPHANED = 5;
// The reader ended by this signal: 64 and its number.
constexpr int EXIT_SIGNAL = 64;
constexpr std::size_t MAX_PATH_BYTES = std::size_t{32} << 20;
// Room for 1,024 ranks of 2,000 entries several times over.
constexpr std::uint64_t MAX_MEMORY = std::uint64_t{1} << 30;
constexpr int PIPE_BYTES = 1 << 20;
// The job has the CPUs first.
constexpr int NICE = 10;

std::vector<std::string> paths_given() {
  std::vector<std::string> paths;
  std::string path;
  std::size_t total = 0;
  char buffer[65536];
  for (ssize_t got = 0; (got = ::read(0, buffer, sizeof buffer)) > 0 && (total += got) <= MAX_PATH_BYTES;) {
    for (ssize_t i = 0; i < got; ++i) {
      if (buffer[i] != '\0') {
        path.push_back(buffer[i]);
        continue;
      }
      paths.push_back(std::move(path));
      path.clear();
    }
  }
  return paths;
}

// Runs without rights on what comes through the pipe. The first line is its pid, the second says which rights could not be
// taken from it, the third is the document, the fourth what other hosts are told; empty where that is nothing. Where its
// memory did not do, the third is how many MiB it had.
int read_dumps(int pipe) {
  // The kernel names this process where it ends it, and the daemon must know its own.
  const std::string name = "pid " + std::to_string(getpid()) + "\n";
  if (!write_all(1, name.data(), name.size())) return EXIT_START;
  const std::uint64_t room = memory_room(MAX_MEMORY);
  std::string answer = give_up_all(room) + "\n";
  std::string summary;
  const std::string document =
      flight_recorder::analyse_given([pipe]() { return receive(pipe); }, flight_recorder::Length::brief, &summary);
  if (document.empty()) {
    answer += std::to_string(room >> 20);
    write_all(1, answer.data(), answer.size());
    return EXIT_MEMORY;
  }
  answer += document + "\n" + summary;
  return write_all(1, answer.data(), answer.size()) ? 0 : EXIT_START;
}

// "@1000,100,4:/dumps/rank_0": a process of that user with those groups named the path.
Named take_named(std::string& path) {
  Named named;
  const std::size_t colon = path.find(':');
  if (path.empty() || path.front() != '@' || colon == std::string::npos) return named;
  bool first = true;
  for (std::size_t at = 1; at < colon; at = std::min(path.find(',', at), colon) + 1) {
    const auto id = static_cast<unsigned>(std::strtoul(path.c_str() + at, nullptr, 10));
    if (first) named.user = id;
    else named.groups.push_back(id);
    first = false;
  }
  path.erase(0, colon + 1);
  return named;
}

void feed(int pipe) {
  std::vector<std::string> errors;
  std::vector<std::string> given = paths_given();
  std::map<std::string, Named> named;
  for (std::string& path : given) {
    Named by = take_named(path);
    if (by.user != 0) named.insert_or_assign(path, std::move(by));
  }
  const auto files = flight_recorder::find_files(given, errors);
  for (const std::string& error : errors) {
    flight_recorder::GivenFile none;
    none.folder_error = error;
    if (!send(pipe, none)) return;
  }
  flight_recorder::FileReader reader;
  for (const auto& found : files) {
    // The daemon lists folders, not files that somebody vouches for: what is no dump is passed over.
    flight_recorder::GivenFile file{found.path, false, reader.read(found.path, named[found.path]), {}};
    if (!send(pipe, file)) return;
  }
}

int run(int count, char** arguments) {
  if (count > 2 && std::string_view(arguments[1]) == "inventory") return run_inventory(count - 2, arguments + 2);
  if (count != 2) {
    std::fputs(USAGE, stderr);
    return EXIT_USAGE;
  }
  if (!confine::end_with(static_cast<pid_t>(std::strtol(arguments[1], nullptr, 10)))) return EXIT_ORPHANED;
  confine::close_from(3);
  // Holds no file system that the daemon stands in.
  if (chdir("/") != 0) return EXIT_START;
  std::signal(SIGPIPE, SIG_IGN);
  setpriority(PRIO_PROCESS, 0, NICE);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return EXIT_START;
  fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
  const pid_t self = getpid();
  const pid_t reader = fork();
  if (reader < 0) return EXIT_START;
  if (reader == 0) {
    close(ends[1]);
    close(0);
    if (!confine::end_with(self)) _exit(EXIT_ORPHANED);
    _exit(read_dumps(ends[0]));
  }
  close(ends[0]);
  close(1);
  feed(ends[1]);
  close(ends[1]);
  int status = 0;
  while (waitpid(reader, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace
}  // namespace faultline::reader

int main(int count, char** arguments) { return faultline::reader::run(count, arguments); }
