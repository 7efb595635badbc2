// Fuzzes the reader alone, pickle and JSON: each input is read with frames at once and on demand, and both must say the same,
// also of what is kept of a dump that is refused.
#include <cstdlib>

#include "flight_recorder/analyse.h"
#include "fuzz/pickle_mutator.h"

using namespace faultline::flight_recorder;

namespace {

// What later stages ask of a dump, all of it.
std::uint64_t visit(const Dump& dump) {
  std::uint64_t seen = dump.top.size();
  const auto list = [&](std::uint32_t id) {
    if (id != UINT32_MAX) seen += dump.tables.values(id).size();
  };
  for (std::size_t at = 0; at < dump.rows.size(); ++at) {
    const Row& row = dump.rows[at];
    seen += dump.text(row.pg_name).size() + dump.text(row.pg_desc).size() + dump.text(row.profiling_name).size();
    list(row.input_sizes);
    list(row.output_sizes);
    list(row.input_dtypes);
    list(row.output_dtypes);
    if (row.frames == UINT32_MAX) continue;
    for (const Value frame : dump.frames(row.frames)) {
      if (frame.is(Value::Tag::mapping)) seen += dump.tables.values(frame.index()).size();
    }
  }
  return seen;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return faultline::fuzz::mutate_pickle(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Dump demanded(size);
  demanded.frames_on_demand = true;
  read_dump({data, size}, demanded);
  // Only frames are read in two ways.
  if (demanded.rows.size() == 0) return 0;
  Dump whole(size);
  read_dump({data, size}, whole);
  if (whole.rejection.has_value() != demanded.rejection.has_value()) std::abort();
  const std::uint64_t at_once = visit(whole);
  const std::uint64_t later = visit(demanded);
  if (whole.rows.size() != demanded.rows.size() || whole.truncated != demanded.truncated || at_once != later) std::abort();
  return 0;
}
