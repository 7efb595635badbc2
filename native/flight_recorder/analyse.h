// The whole way from paths to the verdict document. Takes as long as the files are large.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flight_recorder/files/file.h"
#include "flight_recorder/helper.h"
#include "flight_recorder/load/job.h"
#include "flight_recorder/parse/dump.h"
#include "flight_recorder/report/report.h"

namespace faultline::flight_recorder {

struct Wanted {
  Length length = Length::whole;
  std::string job = {};            // where summaries of several jobs are there; empty: the newest
  std::string* summary = nullptr;  // receives what other hosts need of these dumps (summary.h)
  Helper* helper = nullptr;        // to share the work with; the document is the same
};

// What another process found and read; `named` as in FoundFile. With `folder_error` it is not a file but a path that could not
// be entered, and why.
struct GivenFile {
  std::string path;
  bool named = false;
  FileBytes read;
  std::string folder_error;
};
// The next file for this reader, of which there are two with a helper; never asked by both at a time, nor after it gave none.
using NextFile = std::function<std::optional<GivenFile>(unsigned reader)>;
// Dumps of one job; the document as JSON text, empty when out of memory.
std::string analyse_given(const NextFile& next, const Wanted& wanted);

struct NamedBytes {
  std::string name;
  std::span<const unsigned char> bytes;
};
// The same for dumps in memory, which must outlive the call.
std::string analyse_bytes(const std::vector<NamedBytes>& dumps);

// What the dumps of a job say together, once they are read.
std::string analyse_job(Job job);

// Reads pickle or JSON by its first byte.
void read_dump(std::span<const unsigned char> bytes, Dump& dump);

}  // namespace faultline::flight_recorder
