// An operator's reading of dumps: the whole answer, with progress, and around files that end the process that parses them.
#pragma once

#include <cstdint>
#include <string>

namespace faultline::reader {

struct WholeRun {
  unsigned file_seconds = 0;     // how long the parser may work on one file
  std::uint64_t memory_mib = 0;  // that the parser may take; 0: as much as the machine can spare
  std::string job = {};          // as flight_recorder::Wanted::job
};

// Reads the paths on standard input, files that are given by name and folders. Progress goes to standard error, a line each time:
// files, how many of them are read, bytes. Returns the status to end with.
int run_whole(const WholeRun& run);

}  // namespace faultline::reader
