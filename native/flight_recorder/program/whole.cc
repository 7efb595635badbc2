// An operator's reading of dumps: a file that ends the parser twice, hangs it or exhausts its memory is left out by its name, and
// the others are read again without it.
#include "flight_recorder/program/whole.h"

#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <new>
#include <vector>

#include "flight_recorder/files/file.h"
#include "flight_recorder/program/memory_room.h"
#include "flight_recorder/program/parser.h"
#include "flight_recorder/program/paths.h"
#include "flight_recorder/program/watch.h"
#include "flight_recorder/program/wire.h"

namespace faultline::reader {
namespace {

// Beyond these the fault is not in a few files.
constexpr std::size_t MAX_LEFT_OUT = 4;
constexpr unsigned MAX_STARTS = 12;
// An operator may interrupt it; a join that loops ends all the same.
constexpr std::uint64_t MAX_CPU_SECONDS = 3600;

// That this process may run on.
unsigned processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

class Reading {
 public:
  explicit Reading(const WholeRun& run) : run_(run), files_(flight_recorder::find_files(paths_given(), errors_)) {
    parser_.length = flight_recorder::Length::whole;
    parser_.job = run.job;
    parser_.memory = run.memory_mib != 0 ? run.memory_mib << 20 : memory_room(memory_to_spare());
    parser_.cpu_seconds = MAX_CPU_SECONDS;
    parser_.for_daemon = false;
    parser_.readers = std::min(processors(), Seen::MAX_READERS);
    void* const shared = mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared != MAP_FAILED) parser_.seen = new (shared) Seen;
  }

  int run() {
    if (parser_.seen == nullptr) return EXIT_START;
    for (unsigned starts = 0;; ++starts) {
      const int status = read_all_once();
      if (status == 0) return 0;
      // Which of two files it was, or whether it needs more memory than one alone would, is for one reader to tell.
      if (!hung_ && parser_.readers > 1 && (status > EXIT_SIGNAL || status == EXIT_MEMORY)) {
        parser_.readers = 1;
        continue;
      }
      const std::uint32_t item = parser_.seen->item();
      const bool in_file = item > errors_.size() && item - errors_.size() <= files_.size();
      const std::size_t file = in_file ? item - errors_.size() - 1 : 0;
      const bool once = status > EXIT_SIGNAL && !hung_ && file != suspect_;
      if (!in_file || starts == MAX_STARTS || left_out_.contains(file) || (!once && left_out_.size() == MAX_LEFT_OUT)) return ended(status);
      suspect_ = file;
      // Whatever ends a process once need not mean its files: an administrator, the memory of the host.
      if (!once) left_out_.emplace(file, why(status));
    }
  }

 private:
  int read_all_once() {
    new (parser_.seen) Seen;
    // The next parser would have what this process keeps of files it has sent, beyond its limit.
    malloc_trim(0);
    const Parser parser = start_parser(parser_);
    if (parser.pid < 0) return EXIT_START;
    Watch watch(parser.pid, *parser_.seen, files_.size(), errors_.size(), run_.file_seconds);
    feed(parser.pipe);
    close(parser.pipe);
    siginfo_t info;
    // Not reaped yet, so that its number is not that of another process while the watch may still end it.
    while (waitid(P_PID, static_cast<id_t>(parser.pid), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    hung_ = watch.end();
    int status = 0;
    while (waitpid(parser.pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status_of(status);
  }

  void feed(int pipe) const {
    for (const std::string& error : errors_) {
      flight_recorder::GivenFile none;
      none.folder_error = error;
      if (!send(pipe, none)) return;
    }
    flight_recorder::FileReader reader;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      flight_recorder::GivenFile file{files_[i].path, files_[i].named, {}, {}};
      const auto left_out = left_out_.find(i);
      if (left_out == left_out_.end()) file.read = reader.read(files_[i].path);
      else file.read.error = left_out->second;
      if (!send(pipe, file)) return;
    }
  }

  std::string why(int status) const {
    if (hung_) return "was still being read after " + std::to_string(run_.file_seconds) + " s, and was left out";
    if (status == EXIT_MEMORY) return "needs more memory than the " + room() + " MiB that its reader may take, and was left out";
    if (status < EXIT_SIGNAL) return "ended its reader with status " + std::to_string(status) + ", and was left out";
    return std::string("ended its reader twice (") + strsignal(status - EXIT_SIGNAL) + "), and was left out";
  }

  std::string room() const { return std::to_string(parser_.memory >> 20); }

  // Where memory did not suffice the answer is how many MiB there were.
  int ended(int status) const {
    const std::string answer = "\n" + room();
    if (status == EXIT_MEMORY) write_all(1, answer.data(), answer.size());
    return status;
  }

  const WholeRun& run_;
  std::vector<std::string> errors_;
  std::vector<flight_recorder::FoundFile> files_;
  ParserRun parser_;
  std::map<std::size_t, std::string> left_out_;
  std::size_t suspect_ = SIZE_MAX;
  bool hung_ = false;
};

}  // namespace

int run_whole(const WholeRun& run) { return Reading(run).run(); }

}  // namespace faultline::reader
