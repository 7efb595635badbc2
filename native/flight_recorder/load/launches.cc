// Operations that were launched together: what became of the launch became of them.
#include "flight_recorder/load/launches.h"

#include <algorithm>

namespace faultline::flight_recorder {
namespace {

// A dump of what is active leaves out what has completed, and says so nowhere: nothing in it has, and numbers are missing.
bool leaves_out_completed(const Dump& dump, std::span<const std::uint32_t> rows) {
  if (rows.empty()) return false;
  const bool any = std::any_of(rows.begin(), rows.end(), [&](std::uint32_t at) { return dump.rows[at].state == Row::State::completed; });
  const std::int64_t first = dump.rows[rows.front()].record_id, last = dump.rows[rows.back()].record_id;
  return !any && (first > 0 || last - first >= static_cast<std::int64_t>(rows.size()));
}

}  // namespace

// Members of a launch are never marked themselves, only its end is, which comes right behind them. Where the end is left
// out it has completed.
void settle_launches(const Dump& dump, std::span<const std::uint32_t> rows, const Job& job, const RankDump& of,
                     std::span<Op> ops) {
  const bool ends_left_out = !of.gloo && !of.truncated && leaves_out_completed(dump, rows);
  std::vector<std::vector<std::uint32_t>> open(of.groups.size());
  const auto ended_unseen = [&](std::vector<std::uint32_t>& run) {
    if (ends_left_out && run.size() > 1 && ops[run.back()].seq > 0) {
      for (const std::uint32_t member : run) ops[member].done = true;
    }
    run.clear();
  };
  for (std::uint32_t at = 0; at < ops.size(); ++at) {
    const Op& op = ops[at];
    auto& run = open[op.group];
    if (!run.empty() && (ops[run.back()].seq != op.seq || ops[run.back()].p2p != op.p2p)) ended_unseen(run);
    if (job.signatures[op.signature].kind != Kind::coalesced) {
      run.push_back(at);
      continue;
    }
    for (const std::uint32_t member : run) {
      ops[member].done = op.done;
      ops[member].started = op.started;
    }
    run.clear();
  }
  for (auto& run : open) ended_unseen(run);
}

}  // namespace faultline::flight_recorder
