// Which of two operations comes first in the program that all ranks run: their clocks need not agree, their records do.
#include "flight_recorder/verdict/program_order.h"

#include <algorithm>

namespace faultline::flight_recorder {
namespace {

constexpr std::size_t WITNESSES = 16;

}  // namespace

bool comes_before(const Join& join, const Stall& first, const Stall& second) {
  if (first.p2p || second.p2p || first.group == second.group) return false;
  const std::string& desc = join.job.texts.text(join.groups[first.group].desc);
  if (desc.empty() || desc == "undefined" || desc == join.job.texts.text(join.groups[second.group].desc)) return false;
  std::size_t before = 0, after = 0;
  for (std::size_t i = 0; i < std::min(second.pending.size(), WITNESSES); ++i) {
    const RankDump& dump = *join.dump(second.pending[i]);
    for (std::uint32_t l = 0; l < dump.groups.size() && second.ops[i] != NO_ID; ++l) {
      if (dump.groups[l].desc != join.groups[first.group].desc) continue;
      const std::uint32_t at = join.find({second.pending[i], l}, first.seq);
      if (at == NO_ID) continue;
      (at < second.ops[i] ? before : after) += 1;
    }
  }
  return before > after;
}

}  // namespace faultline::flight_recorder
