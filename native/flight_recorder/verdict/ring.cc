// Ranks that wait for each other in a ring: each holds what another wants.
#include "flight_recorder/verdict/ring.h"

#include <algorithm>

#include "flight_recorder/verdict/out_of_order.h"

namespace faultline::flight_recorder {
namespace {

class Ring {
 public:
  Ring(const Join& join, const Nodes& ranks, std::vector<const Stall*> stalls)
      : join_(join), ranks_(ranks), stalls_(std::move(stalls)) {}

  Verdict find() {
    std::sort(stalls_.begin(), stalls_.end(), [](const Stall* a, const Stall* b) {
      return std::tuple(a->since_ns, a->group, a->seq) < std::tuple(b->since_ns, b->group, b->seq);
    });
    // A send or receive without its other side closed the ring: one end did too much or the other too little.
    const Stall* unpaired = nullptr;
    for (const Stall* stall : stalls_) {
      if (unpaired != nullptr || !stall->p2p || !has(ranks_, stall->from) || !has(ranks_, stall->to)) continue;
      if (stall->missing.empty() ? crosses(*stall) : went_past(*stall)) unpaired = stall;
    }
    if (unpaired != nullptr) {
      Verdict verdict = verdict_on(*unpaired, "p2p_unpaired", 0.6);
      unite(verdict.culprits, {unpaired->from, unpaired->to});
      verdict.why = "one side of a send and receive is there, and the other rank continued without it: which of the two "
                    "is wrong the dumps do not tell";
      return verdict;
    }
    OutOfOrder found = out_of_order(join_, ranks_, stalls_);
    Verdict verdict = verdict_on(*stalls_[0], "lock_order", found.decided ? 0.7 : 0.5);
    verdict.culprits = found.ranks.empty() ? ranks_ : std::move(found.ranks);
    verdict.waiting.clear();
    verdict.shown.clear();
    for (const Stall* stall : stalls_) {
      for (std::size_t i = 0; i < stall->pending.size(); ++i) {
        if (!has(ranks_, stall->pending[i])) continue;
        unite(verdict.waiting, {stall->pending[i]});
        if (stall->ops[i] != NO_ID) verdict.shown.emplace_back(stall->pending[i], stall->ops[i]);
      }
      verdict.groups.emplace_back(stall->group, stall->seq);
    }
    verdict.why = "ranks entered the same operations in different orders and wait for each other in a ring";
    if (!found.decided) verdict.why += ": which of them went another way than before the dumps do not tell";
    return verdict;
  }

 private:
  // True when one end is held up before this pair by an operation that waits behind it at the other end.
  bool crosses(const Stall& pair) const {
    if (pair.behind.size() != 1) return false;
    const std::uint32_t held = pair.behind[0];
    const std::uint32_t first = held == pair.from ? pair.to : pair.from;
    return std::any_of(stalls_.begin(), stalls_.end(), [&](const Stall* other) {
      return !other->p2p && has(other->behind, first) && has(other->pending, held) && !has(other->behind, held);
    });
  }

  // True when the missing side has entered a collective that the waiting side enters only after this send or receive.
  bool went_past(const Stall& stall) const {
    const std::uint32_t waits = stall.pending[0], missing = stall.missing[0];
    const RankDump& from = *join_.dump(waits);
    std::vector<std::int64_t> entered(from.groups.size(), -1);
    for (std::uint32_t op = 0; op < stall.ops[0]; ++op) {
      if (!from.ops[op].p2p) entered[from.ops[op].group] = std::max(entered[from.ops[op].group], from.ops[op].seq);
    }
    for (const Group& group : join_.groups) {
      const Member* here = nullptr;
      const Member* there = nullptr;
      for (const Member& member : group.members) {
        if (member.node == waits) here = &member;
        if (member.node == missing) there = &member;
      }
      if (here == nullptr || there == nullptr || join_.local(*here) == nullptr || join_.local(*there) == nullptr) continue;
      const std::int64_t before = entered[here->local];
      if (before >= 0 && join_.local(*there)->entries_enqueued > before) return true;
    }
    return false;
  }

  const Join& join_;
  const Nodes& ranks_;
  std::vector<const Stall*> stalls_;
};

}  // namespace

void unite(Nodes& into, const Nodes& more) {
  into.insert(into.end(), more.begin(), more.end());
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

bool has(const Nodes& nodes, std::uint32_t node) { return std::find(nodes.begin(), nodes.end(), node) != nodes.end(); }

Verdict verdict_on(const Stall& stall, const char* type, double confidence) {
  Verdict verdict{};
  verdict.type = type;
  verdict.group = stall.group;
  verdict.seq = stall.seq;
  verdict.signature = stall.signature;
  verdict.confidence = confidence;
  verdict.since_ns = stall.since_ns;
  verdict.p2p = stall.p2p;
  unite(verdict.waiting, stall.pending);
  for (std::size_t i = 0; i < stall.pending.size(); ++i) {
    if (stall.ops[i] != NO_ID) verdict.shown.emplace_back(stall.pending[i], stall.ops[i]);
  }
  return verdict;
}

Verdict ring_verdict(const Join& join, const Nodes& ranks, std::vector<const Stall*> stalls) {
  return Ring(join, ranks, std::move(stalls)).find();
}

}  // namespace faultline::flight_recorder
