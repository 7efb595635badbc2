// The process that parses dumps: it holds nothing but pipes, and gives one answer.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "flight_recorder/report/report.h"

namespace faultline::reader {

inline constexpr int EXIT_USAGE = 2, EXIT_START = 3, EXIT_MEMORY = 4, EXIT_ORPHANED = 5;
// A process that was ended by a signal: 64 and its number.
inline constexpr int EXIT_SIGNAL = 64;

// What the parser is at, in memory that it shares with the process that feeds it. The parser reads hostile bytes, so nothing
// here is believed beyond which file is to blame.
struct Seen {
  static constexpr unsigned MAX_READERS = 2;
  struct Reader {
    std::atomic<std::uint32_t> item{0};  // that it works on, counted from 1 in the order they were sent; 0: none
  };
  std::array<Reader, MAX_READERS> readers;
  std::atomic<std::uint32_t> taken{0};  // the last that was taken or is waited for
  std::atomic<std::uint64_t> bytes{0};

  // The first that is worked on: what comes after it may wait for it. 0 where none is.
  std::uint32_t first_in_work() const;
  // The same, and where none is worked on what was taken last.
  std::uint32_t item() const;
};

struct ParserRun {
  flight_recorder::Length length = flight_recorder::Length::brief;
  std::string job = {};  // as flight_recorder::Wanted::job
  std::uint64_t memory = 0, cpu_seconds = 0;
  unsigned readers = 1;      // threads; as many as the parser may run on at once, at most Seen::MAX_READERS
  // For the daemon: the answer begins with a line "pid N", and where memory did not suffice its document is how many MiB there were.
  bool for_daemon = true;
  Seen* seen = nullptr;
};

struct Parser {
  pid_t pid = -1;
  int pipe = -1;  // what it reads
};

// Forks it; pid -1 where the system refuses. Its answer goes to standard output: a line that names the rights that could not be
// taken from it, then the document, then the summary for other hosts; empty lines where there is nothing.
Parser start_parser(const ParserRun& run);

// The status to end with for what waitpid said of the parser.
int status_of(int waited);

}  // namespace faultline::reader
