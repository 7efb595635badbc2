// The whole way from paths to the verdict document. Called on a thread that may take its time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flight_recorder/files/file.h"
#include "flight_recorder/load/job.h"
#include "flight_recorder/parse/dump.h"
#include "flight_recorder/report/report.h"

namespace faultline::flight_recorder {

// Read and written from different threads.
struct Progress {
  std::atomic<std::uint32_t> files{0}, done{0};
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<bool> cancelled{false};
};

struct Wanted {
  std::string job;                 // where summaries of several are there; empty: the newest
  std::string* summary = nullptr;  // what to tell other hosts of these dumps (summary.h)
};

// Dumps of one job, as files or folders; the document as JSON text, empty when cancelled or out of memory.
std::string analyse(const std::vector<std::string>& paths, Progress& progress, const Wanted& wanted = {});

// What somebody else found and read; `named` as in FoundFile. With `folder_error` it is no file but a path that could not
// be entered, and why.
struct GivenFile {
  std::string path;
  bool named = false;
  FileBytes read;
  std::string folder_error;
};
// The same for files that `next` gives, until it gives none. `summary`: what to tell other hosts of them (summary.h).
std::string analyse_given(const std::function<std::optional<GivenFile>()>& next, Length length,
                          std::string* summary = nullptr);

struct NamedBytes {
  std::string name;
  std::span<const unsigned char> bytes;
};
// The same for dumps that are in memory, which must outlive the call.
std::string analyse_bytes(const std::vector<NamedBytes>& dumps);

// What the dumps of a job say together, once they are read.
std::string analyse_job(Job job);

// Reads pickle or JSON by its first byte.
void read_dump(std::span<const unsigned char> bytes, Dump& dump);

}  // namespace faultline::flight_recorder
