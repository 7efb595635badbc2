// Which rank a dump can be of by its own content.
#include <algorithm>
#include <iterator>

#include "flight_recorder/load/job.h"

namespace faultline::flight_recorder {

std::vector<std::int64_t> possible_ranks(const Job& job, const RankDump& dump) {
  std::vector<std::int64_t> possible;
  bool first = true;
  const auto meet = [&](std::vector<std::int64_t> list) {
    // Most are in order as they are, and every dump of a large job brings the same long one.
    if (!std::is_sorted(list.begin(), list.end())) std::sort(list.begin(), list.end());
    std::vector<std::int64_t> both;
    if (first) both = std::move(list);
    else std::set_intersection(possible.begin(), possible.end(), list.begin(), list.end(), std::back_inserter(both));
    possible = std::move(both);
    first = false;
  };
  for (const LocalGroup& local : dump.groups) {
    if (local.ranks != NO_ID) meet(job.rank_lists[local.ranks]);
  }
  // A point-to-point operation says which member of its group wrote it.
  for (std::size_t at = 0; at < dump.ops.size() && possible.size() > 1; ++at) {
    const Op& op = dump.ops.step(at);
    const LocalGroup& local = dump.groups[op.group];
    if (op.self() < 0 || local.ranks == NO_ID) continue;
    const auto& ranks = job.rank_lists[local.ranks];
    if (static_cast<std::size_t>(op.self()) < ranks.size()) meet({ranks[static_cast<std::size_t>(op.self())]});
  }
  return possible;
}

}  // namespace faultline::flight_recorder
