// The operations of one rank as they are kept, and those of each group in order.
#include <algorithm>
#include <numeric>

#include "flight_recorder/load/job.h"

namespace faultline::flight_recorder {
namespace {

// By group, point-to-point last, then by number: as recorders have them, all but the group.
std::vector<std::uint32_t> in_order(std::span<const Op> ops, std::size_t groups) {
  const auto part_of = [](const Op& op) { return std::size_t{op.group} * 2 + (op.p2p ? 1 : 0); };
  std::vector<std::uint32_t> next(groups * 2 + 1, 0);
  for (const Op& op : ops) ++next[part_of(op) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> order(ops.size());
  for (std::uint32_t at = 0; at < ops.size(); ++at) order[next[part_of(ops[at])]++] = at;
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return ops[a].seq < ops[b].seq; };
  // Each part ends where the next begins by now.
  for (std::size_t part = 0, from = 0; part < groups * 2; from = next[part++]) {
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(from), last = order.begin() + static_cast<std::ptrdiff_t>(next[part]);
    if (!std::is_sorted(first, last, earlier)) std::stable_sort(first, last, earlier);
  }
  return order;
}

}  // namespace

void keep_operations(std::span<const Op> ops, std::size_t number, Job& job, RankDump& into) {
  const std::vector<std::uint32_t> order = in_order(ops, into.groups.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) {
    LocalGroup& local = into.groups[ops[order[at]].group];
    if (local.last == 0) local.first = at;
    local.last = at + 1;
  }
  into.by_group = job.programs.order(order);
  into.ops.pack(ops, number, job.programs);
}

}  // namespace faultline::flight_recorder
