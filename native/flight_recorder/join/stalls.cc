// Every operation that a rank did not finish, with who reached it, who did not, and who is held up elsewhere.
#include <algorithm>
#include <map>
#include <set>

#include "flight_recorder/join/join.h"
#include "flight_recorder/join/pair_ends.h"

namespace faultline::flight_recorder {
namespace {

class Stalls {
 public:
  explicit Stalls(Join& join) : join_(join), job_(join.job) {}

  void find() {
    heads_.assign(join_.nodes.size(), NO_ID);
    for (std::uint32_t n = 0; n < join_.nodes.size(); ++n) {
      const RankDump* dump = join_.dump(n);
      if (dump != nullptr) heads_[n] = dump->ops.first_open();
    }
    const bool counters = std::all_of(job_.dumps.begin(), job_.dumps.end(), [](const RankDump& dump) {
      return dump.entries == 0 && (!dump.library.empty() || !dump.version.starts_with("2.1"));
    });
    for (std::uint32_t g = 0; g < join_.groups.size(); ++g) {
      if (counters) by_counters(g);
      collectives(g);
      if (join_.groups[g].has_p2p) pairs(g);
    }
    for (Stall& stall : join_.stalls) attach(stall);
  }

 private:
  Op op_of(std::uint32_t node, std::uint32_t op) const { return join_.dump(node)->ops[op]; }

  // Of each member the first collective that it did not finish: later ones stand behind it.
  void collectives(std::uint32_t g) {
    const Group& group = join_.groups[g];
    std::map<std::int64_t, std::int64_t> firsts;
    for (const Member& member : group.members) {
      const RankDump* dump = join_.dump(member.node);
      const LocalGroup* local = join_.local(member);
      if (local == nullptr) continue;
      for (std::uint32_t i = local->first; i < local->last; ++i) {
        const Op& op = dump->ops.step(dump->by_group[i]);
        if (op.p2p) break;
        if (op.done) continue;
        const std::int64_t created_ns = dump->ops[dump->by_group[i]].created_ns;
        auto& since = firsts.try_emplace(op.seq, created_ns).first->second;
        since = std::min(since, created_ns);
        break;
      }
      // The end of a cut dump is missing, and its status may still say that the rank waits.
      const bool waits = dump->truncated && local->has_status && group.status_counts_collectives;
      if (waits && local->completed < local->enqueued) firsts.try_emplace(local->completed + 1, 0);
    }
    for (const auto& [seq, since] : firsts) {
      Stall stall{};
      stall.group = g;
      stall.seq = seq;
      stall.since_ns = since;
      stall.signature = NO_ID;
      for (const Member& member : group.members) place(group, member, stall);
      choose_behind(stall);
      join_.stalls.push_back(std::move(stall));
    }
  }

  // Dumps that were asked for without entries: where some wait one further than the others have come, and none has ended it.
  void by_counters(std::uint32_t g) {
    const Group& group = join_.groups[g];
    for (const Member& member : group.members) {
      const LocalGroup* local = join_.local(member);
      if (local == nullptr || !local->has_status) return;
    }
    Stall stall{};
    stall.group = g;
    stall.signature = NO_ID;
    for (const Member& member : group.members) stall.seq = std::max(stall.seq, join_.local(member)->completed + 1);
    for (const Member& member : group.members) {
      const LocalGroup& local = *join_.local(member);
      if (local.completed != stall.seq - 1) return;
      if (local.enqueued >= stall.seq) stall.pending.push_back(member.node), stall.ops.push_back(NO_ID);
      else stall.missing.push_back(member.node);
    }
    if (!stall.pending.empty() && !stall.missing.empty()) join_.stalls.push_back(std::move(stall));
  }

  void place(const Group& group, const Member& member, Stall& stall) {
    switch (join_.at(group, member, stall.seq, stall.since_ns)) {
      case At::pending: {
        const std::uint32_t op = join_.find(member, stall.seq);
        stall.pending.push_back(member.node);
        stall.ops.push_back(op);
        if (op != NO_ID && stall.signature == NO_ID) stall.signature = op_of(member.node, op).signature;
        break;
      }
      case At::done: stall.done.push_back(member.node); break;
      case At::not_joined: stall.missing.push_back(member.node); break;
      case At::silent: stall.silent.push_back(member.node); break;
      case At::unknown: stall.unknown.push_back(member.node); break;
    }
  }

  // Reached, but queued behind an older operation that did not finish either.
  void choose_behind(Stall& stall) {
    for (std::size_t i = 0; i < stall.pending.size(); ++i) {
      const std::uint32_t op = stall.ops[i];
      const std::uint32_t head = heads_[stall.pending[i]];
      if (op == NO_ID || head == NO_ID || head >= op || op_of(stall.pending[i], op).started) continue;
      const Op& first = op_of(stall.pending[i], head);
      // Parts of one launch, and what goes to the same peer, hold each other up in order anyway.
      const Op& here = op_of(stall.pending[i], op);
      if (first.group == here.group && first.p2p == here.p2p) {
        if (!here.p2p || first.seq == here.seq || (first.peer == here.peer && first.sends == here.sends)) continue;
      }
      stall.behind.push_back(stall.pending[i]);
    }
  }

  struct Pair {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sends, receives;  // node and operation
  };

  void pairs(std::uint32_t g) {
    const Group& group = join_.groups[g];
    if (group.order.empty()) return;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Pair> pairs;
    for (const Member& member : group.members) {
      const RankDump* dump = join_.dump(member.node);
      const LocalGroup* local = join_.local(member);
      if (local == nullptr) continue;
      for (std::uint32_t i = local->first; i < local->last; ++i) {
        const std::uint32_t at = dump->by_group[i];
        const Op& op = dump->ops.step(at);
        const Kind kind = job_.signatures[op.signature].kind;
        if (!op.p2p || op.done || (kind != Kind::send && kind != Kind::recv)) continue;
        if (op.peer < 0 || static_cast<std::size_t>(op.peer) >= group.order.size()) continue;
        const auto peer = join_.node_of.find(group.order[static_cast<std::size_t>(op.peer)]);
        if (peer == join_.node_of.end() || peer->second == member.node) continue;
        if (op.sends) {
          pairs[{member.node, peer->second}].sends.emplace_back(member.node, at);
        } else {
          pairs[{peer->second, member.node}].receives.emplace_back(member.node, at);
        }
      }
    }
    for (const auto& [ends, pair] : pairs) {
      Stall stall{};
      stall.group = g;
      stall.p2p = true;
      stall.from = ends.first;
      stall.to = ends.second;
      const auto& first = pair.sends.empty() ? pair.receives.front() : pair.sends.front();
      const Op& op = op_of(first.first, first.second);
      stall.seq = op.seq;
      stall.since_ns = op.created_ns;
      stall.signature = op.signature;
      if (!pair.sends.empty()) stall.pending.push_back(ends.first), stall.ops.push_back(pair.sends.front().second);
      if (!pair.receives.empty()) stall.pending.push_back(ends.second), stall.ops.push_back(pair.receives.front().second);
      if (pair.sends.empty() || pair.receives.empty()) {
        const std::uint32_t other = pair.sends.empty() ? ends.first : ends.second;
        const RankDump* dump = join_.dump(other);
        const bool ended = dump != nullptr && ended_at_peer(join_, group, member_of(group, stall.pending[0]), stall.ops[0], member_of(group, other));
        (ended ? stall.done : dump == nullptr ? stall.silent : dump->truncated ? stall.unknown : stall.missing).push_back(other);
        if (ended) choose_behind(stall);
      } else {
        stall.since_ns = std::min(stall.since_ns, op_of(ends.second, pair.receives.front().second).created_ns);
        choose_behind(stall);
      }
      join_.stalls.push_back(std::move(stall));
    }
  }

  static const Member& member_of(const Group& group, std::uint32_t node) {
    return *std::find_if(group.members.begin(), group.members.end(), [&](const Member& member) { return member.node == node; });
  }

  void attach(Stall& stall) {
    if (stall.p2p) return;
    for (const Mismatch& mismatch : join_.mismatches) {
      // One that all got over matters only where the next step already hangs.
      if (mismatch.group != stall.group || mismatch.seq > stall.seq) continue;
      if (mismatch.unfinished || mismatch.seq + 1 >= stall.seq) stall.mismatch = &mismatch;
    }
  }

  Join& join_;
  const Job& job_;
  std::vector<std::uint32_t> heads_;  // by node: its oldest unfinished operation
};

}  // namespace

void find_stalls(Join& join) { Stalls(join).find(); }

}  // namespace faultline::flight_recorder
