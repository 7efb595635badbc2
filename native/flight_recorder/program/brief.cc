// The daemon's reading of dumps.
#include "flight_recorder/program/brief.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "flight_recorder/files/file.h"
#include "flight_recorder/program/memory_room.h"
#include "flight_recorder/program/parser.h"
#include "flight_recorder/program/paths.h"
#include "flight_recorder/program/wire.h"

namespace faultline::reader {
namespace {

// Room for 1,024 ranks of 2,000 entries several times over.
constexpr std::uint64_t MAX_MEMORY = std::uint64_t{1} << 30;
constexpr std::uint64_t MAX_CPU_SECONDS = 120;
// The job has the CPUs first.
constexpr int NICE = 10;

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
    // The daemon lists folders, not files that a user vouches for: what is not a dump is passed over.
    flight_recorder::GivenFile file{found.path, false, reader.read(found.path, named[found.path]), {}};
    if (!send(pipe, file)) return;
  }
}

}  // namespace

int run_brief() {
  // Holds no file system that the daemon's working folder is on.
  if (chdir("/") != 0) return EXIT_START;
  setpriority(PRIO_PROCESS, 0, NICE);
  const Parser parser = start_parser({.memory = memory_room(MAX_MEMORY), .cpu_seconds = MAX_CPU_SECONDS});
  if (parser.pid < 0) return EXIT_START;
  close(1);
  feed(parser.pipe);
  close(parser.pipe);
  int status = 0;
  while (waitpid(parser.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status_of(status);
}

}  // namespace faultline::reader
