// Fuzzes what is salvaged: the entries of a dump that was cut must be the first entries of the whole dump, unchanged.
// The first two bytes of an input say where it is cut.
#include <cstdlib>

#include "flight_recorder/analyse.h"
#include "fuzz/pickle_mutator.h"

using namespace faultline::flight_recorder;

namespace {

constexpr std::size_t HEAD = 2;

bool same_list(const Dump& a, std::uint32_t of_a, const Dump& b, std::uint32_t of_b) {
  if (of_a == UINT32_MAX || of_b == UINT32_MAX) return of_a == of_b;
  return a.tables.values(of_a).size() == b.tables.values(of_b).size() && a.tables.depth(of_a) == b.tables.depth(of_b);
}

bool same(const Dump& a, const Row& x, const Dump& b, const Row& y) {
  return x.record_id == y.record_id && x.pg_id == y.pg_id && x.collective_seq == y.collective_seq && x.p2p_seq == y.p2p_seq &&
         x.op_id == y.op_id && x.created_ns == y.created_ns && x.completed_ns == y.completed_ns && x.timeout_ms == y.timeout_ms &&
         x.state == y.state && x.retired == y.retired && x.is_p2p == y.is_p2p && x.started_seen == y.started_seen &&
         a.text(x.pg_name) == b.text(y.pg_name) && a.text(x.pg_desc) == b.text(y.pg_desc) &&
         a.text(x.profiling_name) == b.text(y.profiling_name) && same_list(a, x.input_sizes, b, y.input_sizes) &&
         same_list(a, x.output_sizes, b, y.output_sizes) && same_list(a, x.input_dtypes, b, y.input_dtypes) &&
         same_list(a, x.output_dtypes, b, y.output_dtypes) && same_list(a, x.frames, b, y.frames);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (size <= HEAD || most <= HEAD) return LLVMFuzzerMutate(data, size, most);
  data[0] = static_cast<std::uint8_t>(seed);
  data[1] = static_cast<std::uint8_t>(seed >> 8);
  return HEAD + faultline::fuzz::mutate_pickle(data + HEAD, size - HEAD, most - HEAD, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size <= HEAD) return 0;
  const std::size_t left = size - HEAD;
  const std::size_t kept = (data[0] | static_cast<std::size_t>(data[1]) << 8) % left;
  Dump whole(left);
  read_dump({data + HEAD, left}, whole);
  // Of what is refused, or cut already, anything may be left.
  if (whole.rejection || whole.truncated || whole.rows.size() == 0) return 0;
  Dump cut(left);
  read_dump({data + HEAD, kept}, cut);
  if (cut.rejection || cut.rows.size() > whole.rows.size()) std::abort();
  // Bytes after the end of a pickle belong to nothing.
  if (!cut.truncated && cut.rows.size() != whole.rows.size()) std::abort();
  for (std::size_t at = 0; at < cut.rows.size(); ++at) {
    if (!same(cut, cut.rows[at], whole, whole.rows[at])) std::abort();
  }
  return 0;
}
