// Times the dump reader on one file: prints the best of RUNS in milliseconds of CPU time and what it read. Driven by
// bench/flight-recorder.mjs.
// usage: flight_recorder_bench read|skip|walk|join|rows|rows-skip|verdicts RUNS PATH   (skip: frames stay where they are; join: of all
// dumps of a folder; rows: all that was read of the entries, a line each; verdicts: of each input of a file, behind its
// length in four bytes, one line on what the reader makes of it)
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "flight_recorder/analyse.h"
#include "flight_recorder/files/file.h"
#include "flight_recorder/parse/pickle.h"

using namespace faultline::flight_recorder;

namespace {

// The least that any reader must do: step over the opcodes of c10's dialect and count them.
std::size_t walk(std::span<const unsigned char> bytes) {
  std::size_t at = 0, count = 0;
  while (at < bytes.size()) {
    ++count;
    switch (bytes[at++]) {
      case 0x80: case 'K': case 'q': case 'h': at += 1; break;
      case 'M': at += 2; break;
      case 'J': case 'r': case 'j': at += 4; break;
      case 'G': at += 8; break;
      case 0x8a: at += 1 + bytes[at]; break;
      case 'X': {
        std::uint32_t length = 0;
        std::memcpy(&length, bytes.data() + at, 4);
        at += 4 + length;
        break;
      }
      default: break;
    }
  }
  return count;
}

void print_list(const Dump& dump, std::uint32_t list) {
  if (list == UINT32_MAX) return;
  for (const Value item : dump.tables.values(list)) {
    if (item.is_integer()) std::printf("%lld,", static_cast<long long>(item.integer()));
    else if (item.is(Value::Tag::string)) std::printf("%s,", std::string(dump.string(item)).c_str());
    else if (item.is(Value::Tag::sequence) || item.is(Value::Tag::mapping)) std::printf("("), print_list(dump, item.index()), std::printf(")");
  }
}

int rows(std::span<const unsigned char> bytes, bool skip) {
  Dump dump(bytes.size());
  dump.frames_on_demand = skip;
  read_dump(bytes, dump);
  static constexpr const char* STATES[] = {"", "scheduled", "started", "completed"};
  for (std::size_t i = 0; i < dump.rows.size(); ++i) {
    const Row& row = dump.rows[i];
    for (const std::int64_t number : {row.record_id, row.pg_id, row.collective_seq, row.p2p_seq, row.op_id, row.created_ns, row.completed_ns})
      std::printf("%lld|", static_cast<long long>(number));
    std::printf("%s|%d|%d|", STATES[static_cast<int>(row.state)], row.retired, row.is_p2p);
    for (const std::uint32_t text : {row.profiling_name, row.pg_name, row.pg_desc}) std::printf("%s|", std::string(dump.text(text)).c_str());
    for (const std::uint32_t list : {row.input_sizes, row.output_sizes, row.input_dtypes, row.output_dtypes}) print_list(dump, list), std::printf("|");
    if (row.frames != UINT32_MAX) {
      for (const Value frame : dump.frames(row.frames)) print_list(dump, frame.index());
    }
    std::printf("\n");
  }
  return 0;
}

double cpu_ms() {
  struct timespec now {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Of this program alone: what getrusage tells begins with the process that started it.
double peak_mib() {
  std::ifstream status("/proc/self/status");
  std::string name;
  for (double kib = 0; status >> name;) {
    if (name == "VmHWM:" && status >> kib) return kib / 1024;
  }
  return 0;
}

// Whole, early or the reason of a refusal, and the entries, of each input.
int verdicts(std::span<const unsigned char> all) {
  for (std::size_t at = 0; all.size() - at >= 4;) {
    std::uint32_t length = 0;
    std::memcpy(&length, all.data() + at, 4);
    at += 4;
    if (length > all.size() - at) return 1;
    const std::vector<unsigned char> own(all.begin() + static_cast<std::ptrdiff_t>(at), all.begin() + static_cast<std::ptrdiff_t>(at + length));
    Dump dump(own.size());
    read_pickle(own, dump);
    std::printf("%zu\t%s\n", dump.rows.size(), dump.rejection ? dump.rejection->why.c_str() : dump.truncated ? "early" : "whole");
    at += length;
  }
  return 0;
}

std::size_t join(const char* folder) {
  std::vector<std::string> errors;
  const std::vector<FoundFile> files = find_files({folder}, errors);
  std::size_t next = 0;
  FileReader reader;
  return analyse_given(
             [&](unsigned) -> std::optional<GivenFile> {
               if (next == files.size()) return std::nullopt;
               const FoundFile& file = files[next++];
               return GivenFile{file.path, file.named, reader.read(file.path), {}};
             },
             {})
      .size();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  const std::string mode = arguments[1];
  double best = 1e300;
  std::size_t result = 0;
  const FileBytes file = mode == "join" ? FileBytes{} : read_file(arguments[3]);
  if (!file.error.empty()) {
    std::fprintf(stderr, "%s: %s\n", arguments[3], file.error.c_str());
    return 1;
  }
  if (mode == "verdicts") return verdicts(file.bytes);
  if (mode == "rows" || mode == "rows-skip") return rows(file.bytes, mode == "rows-skip");
  for (int run = std::atoi(arguments[2]); run > 0; --run) {
    const double start = cpu_ms();
    if (mode == "join") {
      result = join(arguments[3]);
    } else if (mode == "walk") {
      result = walk(file.bytes);
    } else {
      Dump dump(file.bytes.size());
      dump.frames_on_demand = mode == "skip";
      read_dump(file.bytes, dump);
      result = dump.rows.size();
    }
    best = std::min(best, cpu_ms() - start);
  }
  std::printf("{\"ms\": %.3f, \"result\": %zu, \"peak_mib\": %.1f}\n", best, result, peak_mib());
}
