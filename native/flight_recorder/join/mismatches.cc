// Ranks that met under one number with different operations, sizes or types: the most are right, not the first.
#include <algorithm>
#include <map>

#include "flight_recorder/join/by_number.h"
#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {
namespace {

struct Meeting {
  std::int64_t seq;
  std::uint32_t node;
  std::uint32_t signature;
  std::uint64_t key;  // of all operations with this number, in order
  bool done;
};

class Mismatches {
 public:
  explicit Mismatches(Join& join) : join_(join), job_(join.job), by_number_(join) {}

  void find() {
    for (std::uint32_t g = 0; g < join_.groups.size(); ++g) {
      begin(join_.groups[g]);
      // The first one counts: what comes after it in this group is its consequence.
      while (gather() && !any_differs(g)) {
      }
    }
  }

 private:
  void begin(const Group& group) {
    by_number_.clear();
    for (const Member& member : group.members) {
      const RankDump* dump = join_.dump(member.node);
      const LocalGroup* local = join_.local(member);
      if (local == nullptr) continue;
      std::uint32_t end = local->first;
      while (end < local->last && !dump->ops.step(dump->by_group[end]).p2p) ++end;
      by_number_.add(member.node, local->first, end);
    }
  }

  // What is next by number; false when there is no more.
  bool gather() {
    meetings_.clear();
    const bool any = by_number_.next([&](std::uint32_t node, std::uint32_t at) {
      const Op& op = join_.dump(node)->ops.step(at);
      const Signature& signature = job_.signatures[op.signature];
      if (signature.kind == Kind::coalesced) return;
      if (!meetings_.empty() && meetings_.back().node == node && meetings_.back().seq == op.seq) {
        meetings_.back().key = (meetings_.back().key ^ signature.key) * 0x9e3779b97f4a7c15ULL + 1;
        meetings_.back().done = meetings_.back().done && op.done;
      } else {
        meetings_.push_back({op.seq, node, op.signature, signature.key, op.done});
      }
    });
    sort_by_number(meetings_, spare_);
    return any;
  }

  bool any_differs(std::uint32_t g) {
    for (std::size_t from = 0, to = 0; from < meetings_.size(); from = to) {
      while (to < meetings_.size() && meetings_[to].seq == meetings_[from].seq) ++to;
      if (to - from >= 2 && compare(g, from, to)) return true;
    }
    return false;
  }

  bool compare(std::uint32_t g, std::size_t from, std::size_t to) {
    bool same = true;
    for (std::size_t i = from + 1; i < to; ++i) same = same && meetings_[i].key == meetings_[from].key;
    if (same) return totals(g, from, to);
    if (parts_of_a_whole(g, from, to)) return false;
    std::map<std::uint64_t, std::vector<std::size_t>> sides;
    for (std::size_t i = from; i < to; ++i) sides[meetings_[i].key].push_back(i);
    std::uint64_t best = 0;
    std::size_t most = 0;
    bool tie = false;
    for (const auto& [key, members] : sides) {
      if (members.size() == most) tie = true;
      if (members.size() > most) most = members.size(), best = key, tie = false;
    }
    if (tie) tie = !decide_by_siblings(g, meetings_[from].seq, sides, best);
    Mismatch made{};
    made.group = g;
    made.seq = meetings_[from].seq;
    made.majority = !tie;
    const Meeting& right = meetings_[sides[best].front()];
    const Meeting* wrong = &right;
    for (const auto& [key, members] : sides) {
      for (const std::size_t i : members) {
        made.unfinished = made.unfinished || !meetings_[i].done;
        if (tie || key != best) made.differ.push_back(meetings_[i].node);
        if (key != best) wrong = &meetings_[i];
      }
    }
    std::sort(made.differ.begin(), made.differ.end());
    tell(g, right, *wrong, made);
    join_.mismatches.push_back(std::move(made));
    return true;
  }

  // Of several operations under one number, as a coalesced launch has them, the first one that differs is reported.
  void tell(std::uint32_t g, const Meeting& right, const Meeting& wrong, Mismatch& made) const {
    const std::vector<std::uint32_t> expected = launched(g, right), found = launched(g, wrong);
    made.launched_expected = expected.size();
    made.launched_found = found.size();
    std::size_t at = 0;
    const std::size_t both = std::min(expected.size(), found.size());
    while (at < both && job_.signatures[expected[at]].key == job_.signatures[found[at]].key) ++at;
    if (at == both && expected.size() != found.size()) {
      // One side has more of them.
      made.expected = right.signature;
      made.found = wrong.signature;
      made.what = "count";
      return;
    }
    made.place = at;
    made.expected = at < both ? expected[at] : right.signature;
    made.found = at < both ? found[at] : wrong.signature;
    const Signature& a = job_.signatures[made.expected];
    const Signature& b = job_.signatures[made.found];
    made.what = a.operation != b.operation ? "operation" : a.dtype != b.dtype ? "dtype" : "size";
  }

  // Signatures of what a member did under this number, in order.
  std::vector<std::uint32_t> launched(std::uint32_t g, const Meeting& meeting) const {
    std::vector<std::uint32_t> found;
    for (const Member& member : join_.groups[g].members) {
      const LocalGroup* local = member.node == meeting.node ? join_.local(member) : nullptr;
      if (local == nullptr) continue;
      const RankDump& dump = *join_.dump(member.node);
      for (std::uint32_t i = local->first; i < local->last; ++i) {
        const Op& op = dump.ops[dump.by_group[i]];
        if (op.p2p) break;
        if (op.seq == meeting.seq && job_.signatures[op.signature].kind != Kind::coalesced) found.push_back(op.signature);
      }
    }
    return found;
  }

  // With as many on one side as on the other, groups of the same description and size decide: they did the same step.
  bool decide_by_siblings(std::uint32_t g, std::int64_t seq, const std::map<std::uint64_t, std::vector<std::size_t>>& sides,
                          std::uint64_t& best) const {
    const Group& group = join_.groups[g];
    const std::string& desc = job_.texts.text(group.desc);
    if (desc.empty() || desc == "undefined" || desc == "default_pg") return false;
    std::map<std::uint64_t, std::size_t> votes;
    for (std::uint32_t other = 0; other < join_.groups.size(); ++other) {
      const Group& sibling = join_.groups[other];
      if (other == g || sibling.desc != group.desc || sibling.members.size() != group.members.size()) continue;
      for (const Member& member : sibling.members) {
        const std::uint32_t op = join_.find(member, seq);
        if (op == NO_ID) continue;
        const auto key = job_.signatures[join_.dump(member.node)->ops[op].signature].key;
        if (sides.contains(key)) ++votes[key];
      }
    }
    std::size_t most = 0;
    bool clear = false;
    for (const auto& [key, count] : votes) {
      if (count == most) clear = false;
      if (count > most) most = count, best = key, clear = true;
    }
    return clear;
  }

  // A gather of uneven parts: what one rank gets is what all bring, or the reverse in a scatter.
  bool parts_of_a_whole(std::uint32_t g, std::size_t from, std::size_t to) const {
    const Signature& first = job_.signatures[meetings_[from].signature];
    const bool gathers = first.kind == Kind::gather;
    if ((!gathers && first.kind != Kind::scatter) || to - from != join_.groups[g].members.size()) return false;
    __int128 parts = 0;
    std::int64_t whole = 0;
    for (std::size_t i = from; i < to; ++i) {
      const Signature& each = job_.signatures[meetings_[i].signature];
      if (each.operation != first.operation || each.dtype != first.dtype) return false;
      parts += gathers ? each.input_elements : each.output_elements;
      whole = std::max(whole, gathers ? each.output_elements : each.input_elements);
    }
    return whole > 0 && parts == whole;
  }

  // What all ranks together send in an all_to_all is what they receive; who is wrong it does not tell.
  bool totals(std::uint32_t g, std::size_t from, std::size_t to) {
    if (job_.signatures[meetings_[from].signature].kind != Kind::all_to_all) return false;
    if (to - from != join_.groups[g].members.size()) return false;
    __int128 sent = 0, received = 0;
    bool done = true;
    for (std::size_t i = from; i < to; ++i) {
      sent += job_.signatures[meetings_[i].signature].input_elements;
      received += job_.signatures[meetings_[i].signature].output_elements;
      done = done && meetings_[i].done;
    }
    if (sent == received || done) return false;
    Mismatch made{};
    made.group = g;
    made.seq = meetings_[from].seq;
    made.what = "total_size";
    made.expected = made.found = meetings_[from].signature;
    made.unfinished = true;
    join_.mismatches.push_back(std::move(made));
    return true;
  }

  Join& join_;
  const Job& job_;
  ByNumber by_number_;
  std::vector<Meeting> meetings_, spare_;
};

}  // namespace

void find_mismatches(Join& join) { Mismatches(join).find(); }

}  // namespace faultline::flight_recorder
