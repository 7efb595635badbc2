// Whether a rank that waits in a ring entered its operations in the order in which it entered them before.
#include "flight_recorder/verdict/own_order.h"

#include <algorithm>
#include <tuple>

namespace faultline::flight_recorder {
namespace {

constexpr std::size_t WITNESSES = 64;
// One operation alone is found anywhere.
constexpr std::uint32_t LEAST_ALIKE = 2;
// A step is shorter, and a record that a job wrote to cost time costs little.
constexpr std::uint32_t MAX_SPAN = 1024, MAX_PLACES = 32'768;

const Member* member_of(const Group& group, std::uint32_t node) {
  const auto at = std::lower_bound(group.members.begin(), group.members.end(), node, [](const Member& m, std::uint32_t n) { return m.node < n; });
  return at == group.members.end() || at->node != node || at->local == NO_ID ? nullptr : &*at;
}

class Record {
 public:
  Record(const Join& join, const RankDump& dump) : join_(join), dump_(dump) {}

  bool same(std::uint32_t a, std::uint32_t b) const { return token(a) == token(b); }

  bool is_turn(std::uint32_t op, std::uint32_t local) const { return dump_.ops[op].group == local && !dump_.ops[op].p2p; }

  // By place below `end`: how many operations up to and with it are those up to and with `end` (the Z function, read backwards).
  std::vector<std::uint32_t> alike_up_to(std::uint32_t end) const {
    std::vector<std::uint32_t> alike(end + 1);
    std::uint32_t from = 0, to = 0;  // counted back from `end`: the stretch that is known to be alike
    for (std::uint32_t i = 1; i <= end; ++i) {
      std::uint32_t length = i < to ? std::min(to - i, alike[end - (i - from)]) : 0;
      while (i + length <= end && same(end - length, end - i - length)) ++length;
      alike[end - i] = length;
      if (i + length > to) from = i, to = i + length;
    }
    return alike;
  }

  // Whether the next turn in `local` after `place` came before as many turns in the other group as there are `turns` now.
  // Unknown where these were other operations: then it is another place of the program.
  Order compare(std::uint32_t place, std::uint32_t end, std::uint32_t local, std::uint32_t signature, const std::vector<std::uint32_t>& turns) const {
    const std::uint32_t other = dump_.ops[turns.back()].group;
    std::size_t seen = 0;
    bool came = false, first = false;
    for (std::uint32_t at = place + 1; at <= end && !(came && seen == turns.size()); ++at) {
      if (!came && is_turn(at, local)) {
        if (signature != NO_ID && key(dump_.ops[at].signature) != key(signature)) return Order::unknown;
        came = true;
        first = seen < turns.size();
      } else if (seen < turns.size() && is_turn(at, other)) {
        if (!same(at, turns[seen])) return Order::unknown;
        ++seen;
      }
    }
    return !came || seen < turns.size() ? Order::unknown : first ? Order::otherwise : Order::as_before;
  }

 private:
  std::uint32_t key(std::uint32_t signature) const { return join_.job.signatures[signature].key; }

  std::tuple<std::uint16_t, bool, bool, std::int32_t, std::uint32_t> token(std::uint32_t at) const {
    const Op& op = dump_.ops[at];
    return {op.group, op.p2p, op.sends, op.peer, key(op.signature)};
  }

  const Join& join_;
  const RankDump& dump_;
};

// The rank's last turn in this group before the one that it lacks.
std::uint32_t last_turn(const RankDump& dump, const LocalGroup& local, std::int64_t lacks, std::uint32_t before) {
  std::uint32_t last = NO_ID;
  for (std::uint32_t i = local.first; i < local.last; ++i) {
    const std::uint32_t at = dump.by_group[i];
    if (dump.ops[at].p2p || dump.ops[at].seq >= lacks) break;
    if (at < before) last = last == NO_ID ? at : std::max(last, at);
  }
  return last;
}

}  // namespace

Order own_order(const Join& join, std::uint32_t node, const Stall& holds, const Stall& lacks) {
  const Member* here = member_of(join.groups[holds.group], node);
  const Member* there = member_of(join.groups[lacks.group], node);
  if (here == nullptr || there == nullptr) return Order::unknown;
  const RankDump& dump = *join.dump(node);
  const std::uint32_t held = join.find(*here, holds.seq);
  if (held == NO_ID) return Order::unknown;
  const std::uint32_t last = last_turn(dump, *join.local(*there), lacks.seq, held);
  if (last == NO_ID || held - last > MAX_SPAN) return Order::unknown;
  const Record record(join, dump);
  const auto alike = record.alike_up_to(last);
  std::vector<std::uint32_t> turns;  // in the other group since then
  for (std::uint32_t at = last + 1; at <= held; ++at) {
    if (record.is_turn(at, here->local)) turns.push_back(at);
  }
  Order by_longest = Order::unknown, by_start = Order::unknown;
  std::uint32_t longest = 0;
  for (std::uint32_t place = last, tried = 0; place-- > 0 && tried < MAX_PLACES; ++tried) {
    // What came before must be alike for as long as what is compared, or as far back as there is a record.
    const bool to_start = alike[place] == place + 1;
    if (alike[place] < LEAST_ALIKE || alike[place] < longest || (alike[place] < held - last && !to_start)) continue;
    const Order order = record.compare(place, last, there->local, lacks.signature, turns);
    if (order == Order::unknown) continue;
    if (to_start) by_start = order;
    if (alike[place] > longest) longest = alike[place], by_longest = order;
  }
  return by_start != Order::unknown && by_start != by_longest ? Order::unknown : by_longest;
}

Order order_of_others(const Join& join, const Stall& holds, const Stall& lacks) {
  const auto& texts = join.job.texts;
  const std::uint32_t here = join.groups[holds.group].desc, there = join.groups[lacks.group].desc;
  const auto named = [&](std::uint32_t desc) { return !texts.text(desc).empty() && texts.text(desc) != "undefined"; };
  if (here == there || !named(here) || !named(there)) return Order::unknown;
  std::size_t before = 0, after = 0;
  for (std::uint32_t node = 0; node < join.nodes.size() && before + after < WITNESSES; ++node) {
    const RankDump* dump = join.dump(node);
    if (dump == nullptr) continue;
    std::uint32_t first = NO_ID, second = NO_ID;
    for (std::uint32_t l = 0; l < dump->groups.size(); ++l) {
      if (dump->groups[l].desc == here) first = join.find({node, l}, holds.seq);
      if (dump->groups[l].desc == there) second = join.find({node, l}, lacks.seq);
    }
    if (first == NO_ID || second == NO_ID) continue;
    (first < second ? before : after) += 1;
  }
  return before == after ? Order::unknown : before > after ? Order::as_before : Order::otherwise;
}

}  // namespace faultline::flight_recorder
