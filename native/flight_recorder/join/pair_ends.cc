// Whether the other side of a send or receive that never ended had ended there: the how manyth it is between the two.
#include "flight_recorder/join/pair_ends.h"

#include <algorithm>
#include <optional>

namespace faultline::flight_recorder {
namespace {

using Ops = std::vector<std::uint32_t>;

std::int32_t place_in(const Join& join, const Group& group, std::uint32_t node) {
  const auto at = std::find(group.order.begin(), group.order.end(), join.nodes[node].rank);
  return at == group.order.end() ? -1 : static_cast<std::int32_t>(at - group.order.begin());
}

// What a member sent to, or received from, a peer, in the order it was recorded.
Ops between(const Join& join, const Member& member, std::int32_t peer, bool sends) {
  Ops found;
  const RankDump& dump = *join.dump(member.node);
  const LocalGroup& local = *join.local(member);
  for (std::uint32_t i = local.first; i < local.last; ++i) {
    const Op& op = dump.ops[dump.by_group[i]];
    if (op.p2p && op.peer == peer && op.sends == sends) found.push_back(dump.by_group[i]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The last collective that `waits` entered before `op` and that the other's record holds too: its place in both.
std::optional<std::pair<std::uint32_t, std::uint32_t>> common_collective(const Join& join, std::uint32_t waits, std::uint32_t op, std::uint32_t other) {
  std::optional<std::pair<std::uint32_t, std::uint32_t>> best;
  const RankDump& dump = *join.dump(waits);
  for (const Group& group : join.groups) {
    const Member* here = nullptr;
    const Member* there = nullptr;
    for (const Member& member : group.members) {
      if (member.node == waits) here = &member;
      if (member.node == other) there = &member;
    }
    if (here == nullptr || there == nullptr || join.local(*here) == nullptr || join.local(*there) == nullptr) continue;
    const LocalGroup& local = *join.local(*here);
    for (std::uint32_t i = local.first; i < local.last && !dump.ops[dump.by_group[i]].p2p; ++i) {
      const std::uint32_t at = dump.by_group[i];
      if (at >= op || (best && best->first >= at)) continue;
      const std::uint32_t its = join.find(*there, dump.ops[at].seq);
      if (its != NO_ID) best = {at, its};
    }
  }
  return best;
}

bool done_at(const RankDump& dump, const Ops& ops, std::size_t at) { return at < ops.size() && dump.ops[ops[at]].done; }

}  // namespace

bool ended_at_peer(const Join& join, const Group& group, const Member& waits, std::uint32_t op, const Member& other) {
  if (join.local(waits) == nullptr || join.local(other) == nullptr) return false;
  const RankDump& here = *join.dump(waits.node);
  const RankDump& there = *join.dump(other.node);
  const bool sends = here.ops[op].sends;
  const Ops mine = between(join, waits, here.ops[op].peer, sends);
  const Ops theirs = between(join, other, place_in(join, group, waits.node), !sends);
  const auto place = static_cast<std::size_t>(std::lower_bound(mine.begin(), mine.end(), op) - mine.begin());
  if (here.whole && there.whole) return done_at(there, theirs, place);
  // Where both ends counted alike before, they do now.
  const auto with_number = [&](std::int64_t seq) {
    return std::find_if(theirs.begin(), theirs.end(), [&](std::uint32_t at) { return there.ops[at].seq == seq; });
  };
  bool alike = false, unlike = theirs.empty();
  for (std::size_t i = 0; i < place && !unlike; ++i) {
    const std::int64_t seq = here.ops[mine[i]].seq;
    if (seq < there.ops[theirs.front()].seq) continue;  // before the other's record begins
    (with_number(seq) != theirs.end() ? alike : unlike) = true;
  }
  if (alike && !unlike) {
    const auto at = with_number(here.ops[op].seq);
    return at != theirs.end() && there.ops[*at].done;
  }
  const auto anchor = common_collective(join, waits.node, op, other.node);
  if (!anchor) return false;
  const auto after = [](const Ops& ops, std::uint32_t at) {
    return static_cast<std::size_t>(std::upper_bound(ops.begin(), ops.end(), at) - ops.begin());
  };
  return done_at(there, theirs, after(theirs, anchor->second) + place - after(mine, anchor->first));
}

bool is_part_of_launch(const Join& join, std::uint32_t node, std::uint32_t op) {
  const RankDump& dump = *join.dump(node);
  const Op& here = dump.ops[op];
  const LocalGroup& local = dump.groups[here.group];
  std::size_t parts = 0;
  for (std::uint32_t i = local.first; i < local.last; ++i) {
    const Op& each = dump.ops[dump.by_group[i]];
    parts += each.p2p == here.p2p && each.seq == here.seq && !each.done;
  }
  return parts > 1;
}

}  // namespace faultline::flight_recorder
