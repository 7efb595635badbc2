// From what everybody waits for to who is to be looked at: one verdict for each place where the waiting ends.
#include <algorithm>
#include <map>
#include <set>

#include "flight_recorder/join/join.h"
#include "flight_recorder/join/pair_ends.h"
#include "flight_recorder/verdict/hidden_waits.h"
#include "flight_recorder/verdict/program_order.h"
#include "flight_recorder/verdict/ring.h"
#include "flight_recorder/verdict/sinks.h"

namespace faultline::flight_recorder {
namespace {

class Verdicts {
 public:
  explicit Verdicts(Join& join) : join_(join), job_(join.job), ranks_(static_cast<std::uint32_t>(join.nodes.size())) {}

  void ring(const Nodes& sink) {
    Nodes ranks;
    std::vector<const Stall*> stalls;
    for (const std::uint32_t v : sink) {
      if (v < ranks_) ranks.push_back(v);
      else stalls.push_back(&join_.stalls[v - ranks_]);
    }
    join_.verdicts.push_back(ring_verdict(join_, ranks, std::move(stalls)));
  }

  void find() {
    graph();
    for (const Nodes& sink : sinks_of(edges_)) {
      if (sink.size() > 1) {
        ring(sink);
      } else if (sink[0] >= ranks_) {
        stuck(join_.stalls[sink[0] - ranks_]);
      } else if (!awaited_[sink[0]].empty()) {
        absent(sink[0]);
      }
    }
    half_of_all();
    late();
    if (join_.stalls.empty()) nothing_outstanding();
    keep_named();
    std::stable_sort(join_.verdicts.begin(), join_.verdicts.end(), [](const Verdict& a, const Verdict& b) {
      if (a.culprits.empty() != b.culprits.empty()) return b.culprits.empty();
      return a.since_ns < b.since_ns;
    });
  }

 private:
  void graph() {
    edges_.resize(ranks_ + join_.stalls.size());
    awaited_.resize(ranks_);
    // A rank without a dump that alone can be meant somewhere explains the places where another could be meant too.
    std::vector<bool> alone(ranks_);
    bool any = false;
    for (const Stall& stall : join_.stalls) {
      const bool only = stall.missing.empty() && stall.behind.empty() && stall.silent.size() == 1;
      if (stall.mismatch == nullptr && only) alone[stall.silent[0]] = any = true;
    }
    for (std::uint32_t s = 0; s < join_.stalls.size(); ++s) {
      const Stall& stall = join_.stalls[s];
      for (const std::uint32_t node : stall.pending) edges_[node].push_back(ranks_ + s);
      if (stall.mismatch != nullptr) continue;
      const auto meant = [&](const Stall& at) { return std::any_of(at.silent.begin(), at.silent.end(), [&](std::uint32_t n) { return alone[n]; }); };
      const Nodes& held = !stall.missing.empty() ? stall.missing
                          : !stall.silent.empty() && (!any || stall.behind.empty() || meant(stall)) ? stall.silent
                          : !stall.unknown.empty() ? stall.unknown : stall.behind;
      const bool explained = &held == &stall.silent && meant(stall);
      for (const std::uint32_t node : held) {
        if (explained && !alone[node]) continue;
        edges_[ranks_ + s].push_back(node);
        awaited_[node].push_back(s);
      }
    }
    add_hidden_waits(join_, awaited_, edges_);
  }

  Verdict& add(const char* type, const Stall& stall, double confidence) {
    join_.verdicts.push_back(verdict_on(stall, type, confidence));
    return join_.verdicts.back();
  }

  // A rank that others wait for and that itself waits for nothing recorded.
  void absent(std::uint32_t node) {
    // It is missed in many places by now; it began where the first of them came.
    Nodes waiting;
    for (const std::uint32_t s : awaited_[node]) unite(waiting, join_.stalls[s].pending);
    const auto held_elsewhere = [&](const Stall& stall) {
      return std::any_of(stall.missing.begin(), stall.missing.end(),
                         [&](std::uint32_t other) { return other != node && has(waiting, other); });
    };
    std::uint32_t first = awaited_[node][0];
    for (const std::uint32_t s : awaited_[node]) {
      const Stall& a = join_.stalls[s];
      const Stall& b = join_.stalls[first];
      // Where no other rank is missing that waits for this one elsewhere, whatever the clocks say. A neighbour in a pipeline
      // waits from early on; that the rank left a collective says more.
      if (std::tuple(a.p2p, held_elsewhere(a), a.since_ns, a.pending.size(), s) <
          std::tuple(b.p2p, held_elsewhere(b), b.since_ns, b.pending.size(), first)) {
        first = s;
      }
    }
    for (const std::uint32_t s : awaited_[node]) {
      const Stall& stall = join_.stalls[s];
      if (!stall.p2p && !held_elsewhere(stall) && comes_before(join_, stall, join_.stalls[first])) first = s;
    }
    const Stall& stall = join_.stalls[first];
    const bool silent = join_.nodes[node].dump == NO_ID;
    const bool unknown = !silent && has(stall.unknown, node);
    const char* type = silent || unknown ? "silent_rank" : stall.p2p ? "p2p_unpaired" : "not_joined";
    Verdict*& verdict = absents_index(type, first);
    if (verdict == nullptr) {
      verdict = &add(type, stall, silent ? 0.6 : unknown ? 0.3 : stall.p2p ? 0.8 : 0.9);
    }
    // The end of a cut file says nothing about the rank.
    if (unknown) {
      verdict->why = "the dump of a rank that is waited for is cut off; whether it joined cannot be told";
    } else {
      verdict->culprits.push_back(node);
    }
    if (silent && too_few(stall)) withdraw(*verdict);
    const bool counted = std::all_of(stall.ops.begin(), stall.ops.end(), [](std::uint32_t op) { return op == NO_ID; });
    if (!silent && counted && !unknown) {
      verdict->confidence = std::min(verdict->confidence, 0.4);
      verdict->why = "by the counters alone, which tell neither since when nor whether the job runs: the dumps hold no operations; dump again with them";
    }
    if (silent && join_.groups[stall.group].guessed) verdict->confidence = std::min(verdict->confidence, 0.5);
    if (verdict->why.empty()) {
      verdict->why = silent          ? "others wait for a rank that left no dump that could be read"
                     : stall.p2p     ? "one side of a send and receive is there, the other never came"
                                     : "others entered the operation, this rank did not, and it waits for nothing recorded";
    }
  }

  bool too_few(const Stall& stall) const {
    return stall.silent.size() > 1 && stall.silent.size() * 2 >= join_.groups[stall.group].members.size();
  }

  // The dumps of one host of two name rank after rank of the other: nothing says that more than their files is missing.
  void half_of_all() {
    Nodes named;
    for (const Verdict& each : join_.verdicts) {
      if (each.type == std::string_view("silent_rank")) unite(named, each.culprits);
    }
    if (named.size() < 2 || join_.missing.size() * 2 < join_.nodes.size()) return;
    for (Verdict& each : join_.verdicts) {
      if (each.type == std::string_view("silent_rank")) withdraw(each);
    }
  }

  static void withdraw(Verdict& verdict) {
    verdict.culprits.clear();
    verdict.confidence = 0.2;
    verdict.why = "half or more of the ranks that can be meant left no dump that could be read; collect theirs to tell them apart";
  }

  // Everybody who should be there is there, and it does not end.
  void stuck(const Stall& stall) {
    if (stall.mismatch != nullptr) return mismatched(stall);
    if (stall.p2p) return stuck_pair(stall);
    if (!stall.done.empty() && stall.pending.size() <= stall.done.size()) {
      late_.push_back(&stall);
      return;
    }
    if (held_up(stall)) return;
    Verdict& verdict = add("fabric_or_gpu", stall, 0.5);
    verdict.why = "all ranks entered the same operation and it did not end";
    const bool timing = std::any_of(job_.dumps.begin(), job_.dumps.end(), [](const RankDump& dump) { return dump.timing; });
    if (!timing) verdict.why += "; without start events (TORCH_NCCL_ENABLE_TIMING=1) a GPU that never started it looks the same";
  }

  // Start events are recorded for all ranks of a job or for none: where some started, the others did not.
  bool held_up(const Stall& stall) {
    Nodes waits_to_start;
    for (std::size_t i = 0; i < stall.pending.size(); ++i) {
      const bool started = stall.ops[i] != NO_ID && join_.dump(stall.pending[i])->ops[stall.ops[i]].started;
      if (!started) waits_to_start.push_back(stall.pending[i]);
    }
    if (waits_to_start.empty() || waits_to_start.size() == stall.pending.size()) return false;
    Verdict& verdict = add("stream_blocked", stall, 0.7);
    unite(verdict.culprits, waits_to_start);
    verdict.why = "all ranks enqueued it and some started it on the GPU; on these it never started: their stream is held up";
    return true;
  }

  void stuck_pair(const Stall& stall) {
    const auto elements = [&](std::size_t i) {
      const Signature& s = job_.signatures[join_.dump(stall.pending[i])->ops[stall.ops[i]].signature];
      return std::pair(std::max(s.input_elements, s.output_elements), s.dtype);
    };
    if (stall.ops.size() == 2 && elements(0).first != elements(1).first) {
      Verdict& verdict = add("mismatch", stall, 0.6);
      unite(verdict.culprits, stall.pending);
      verdict.why = "send and receive differ in size; which of the two is wrong the dumps do not tell";
      return;
    }
    if (!stall.done.empty()) {
      // Parts of one launch end together: another of them holds this one.
      const bool part = is_part_of_launch(join_, stall.pending[0], stall.ops[0]);
      Verdict& verdict = add(part ? "fabric_or_gpu" : "late_completer", stall, part ? 0.3 : 0.6);
      if (!part) verdict.culprits = stall.pending;
      verdict.why = "the other side of this send or receive ended, and here it did not: the GPU or link of the rank that waits stopped";
      return;
    }
    if (held_up(stall)) return;
    Verdict& verdict = add("fabric_or_gpu", stall, 0.5);
    verdict.why = "send and receive are both posted and do not end: look at XID, NVLink and network of these hosts";
  }

  void mismatched(const Stall& stall) {
    const Mismatch& found = *stall.mismatch;
    Verdict*& verdict = mismatches_[&found];
    if (verdict == nullptr) verdict = &from_mismatch(found, stall);
    unite(verdict->waiting, stall.pending);
  }

  Verdict& from_mismatch(const Mismatch& found, const Stall& stall) {
    Verdict& verdict = add("mismatch", stall, found.majority ? 0.9 : 0.6);
    verdict.seq = found.seq;
    verdict.signature = found.expected;
    verdict.culprits = found.differ;
    verdict.shown.clear();
    for (const Member& member : join_.groups[found.group].members) {
      const std::uint32_t op = join_.find(member, found.seq);
      if (op != NO_ID) verdict.shown.emplace_back(member.node, op);
    }
    verdict.why = found.differ.empty() ? "what the ranks send in total is not what they receive; who is wrong it does not tell"
                  : found.majority     ? "these ranks met the others with another operation, size or type"
                                       : "as many ranks on one side as on the other: all are named";
    return verdict;
  }

  // Ranks that did not end what their peers ended: of each rank the first of these operations, which others stand behind.
  void late() {
    Nodes all;
    for (const Stall* stall : late_) unite(all, stall->pending);
    std::map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> firsts;  // by rank: the operation, and its stall
    for (std::size_t s = 0; s < join_.stalls.size(); ++s) {
      const Stall& stall = join_.stalls[s];
      if (stall.p2p || stall.done.empty()) continue;
      for (std::size_t i = 0; i < stall.pending.size(); ++i) {
        const auto first = firsts.try_emplace(stall.pending[i], stall.ops[i], s).first;
        if (stall.ops[i] < first->second.first) first->second = {stall.ops[i], s};
      }
    }
    std::map<std::size_t, Nodes> stuck;
    for (const std::uint32_t node : all) stuck[firsts.at(node).second].push_back(node);
    for (const auto& [s, nodes] : stuck) {
      Verdict& verdict = add("late_completer", join_.stalls[s], 0.8);
      verdict.culprits = nodes;
      verdict.why = "their peers finished operations that these ranks entered and never finished: their GPU or link stopped";
    }
  }

  // With a rank that is named by what it recorded, stalls that name no rank are most likely its consequences, and a rank
  // whose dump is missing or cannot be read most likely waits as the others do: two faults at once are rare, lost files
  // are not.
  void keep_named() {
    auto& all = join_.verdicts;
    const auto unnamed = [](const Verdict& each) { return each.culprits.empty() && each.type == std::string_view("fabric_or_gpu"); };
    const auto unseen = [](const Verdict& each) { return each.type == std::string_view("silent_rank"); };
    const auto unreadable = [&](const Verdict& each) {
      return unseen(each) && std::all_of(each.culprits.begin(), each.culprits.end(),
                                         [&](std::uint32_t n) { return join_.nodes[n].refused; });
    };
    const auto idle = [&](const Verdict& each) { return unnamed(each) || unreadable(each); };
    const auto recorded = [&](const Verdict& each) { return !each.culprits.empty() && !unseen(each); };
    if (std::any_of(all.begin(), all.end(), recorded)) all.erase(std::remove_if(all.begin(), all.end(), unseen), all.end());
    if (!std::all_of(all.begin(), all.end(), idle)) all.erase(std::remove_if(all.begin(), all.end(), unreadable), all.end());
    if (std::all_of(all.begin(), all.end(), unnamed)) return;
    all.erase(std::remove_if(all.begin(), all.end(), unnamed), all.end());
  }

  void nothing_outstanding() {
    for (const Mismatch& found : join_.mismatches) {
      Stall stall{};
      stall.group = found.group;
      stall.seq = found.seq;
      from_mismatch(found, stall).confidence = 0.6;
    }
  }

  Verdict*& absents_index(const char* type, std::uint32_t stall) { return absents_[{std::string(type), stall}]; }

  Join& join_;
  const Job& job_;
  std::uint32_t ranks_;
  std::vector<std::vector<std::uint32_t>> edges_;
  std::vector<Nodes> awaited_;  // by node: stalls that wait for it
  std::vector<const Stall*> late_;
  std::map<std::pair<std::string, std::uint32_t>, Verdict*> absents_;
  std::map<const Mismatch*, Verdict*> mismatches_;
};

}  // namespace

void find_verdicts(Join& join) { Verdicts(join).find(); }

}  // namespace faultline::flight_recorder
