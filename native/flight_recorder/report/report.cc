// The verdict document as JSON text: job, verdicts with their evidence, culprits, stragglers, mismatches.
#include "flight_recorder/report/report.h"

#include <algorithm>
#include <map>

#include "flight_recorder/report/json_text.h"

namespace faultline::flight_recorder {
namespace {

constexpr std::size_t MAX_EVIDENCE = 24;  // of one verdict
constexpr std::size_t MAX_STACKS = 3;
// A brief document is parsed on a thread that must not be held up for milliseconds. Once it is so long, evidence, frames and
// reasons end; what its other lists can take keeps it below twice as much.
constexpr std::size_t MAX_BRIEF = std::size_t{128} << 10;

// How long lists may be.
struct Caps {
  std::size_t ranks, dumps, verdicts, frames, mismatches, stragglers, text;
};
constexpr Caps WHOLE{SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, 64, SIZE_MAX, MAX_SHOWN_TEXT};
constexpr Caps BRIEF{64, 16, 8, 16, 8, 16, 256};

class Report {
 public:
  Report(const Join& join, Length length)
      : join_(join), job_(join.job), brief_(length == Length::brief), caps_(brief_ ? BRIEF : WHOLE), out_(caps_.text) {}

  std::string write(const std::vector<std::string>& errors) {
    out_.open('{').key("schema").value("faultline/fr/1");
    job(errors);
    out_.key("verdicts").open('[');
    for (std::size_t i = 0; i < std::min(join_.verdicts.size(), caps_.verdicts); ++i) verdict(join_.verdicts[i]);
    if (join_.verdicts.empty()) nothing();
    out_.close(']');
    culprits();
    stragglers();
    mismatches();
    out_.close('}');
    return out_.take();
  }

 private:
  bool full() const { return brief_ && out_.size() >= MAX_BRIEF; }
  std::int64_t rank(std::uint32_t node) const { return join_.nodes[node].rank; }
  void ranks(std::string_view key, const std::vector<std::uint32_t>& nodes) {
    out_.key(key).open('[');
    for (std::size_t i = 0; i < std::min(nodes.size(), caps_.ranks); ++i) out_.value(rank(nodes[i]));
    out_.close(']');
    count(key, nodes.size());
  }
  void count(std::string_view key, std::size_t number) {
    if (brief_) out_.key(std::string(key) + "_count").value(static_cast<std::int64_t>(number));
  }

  void dump(const RankDump& each) {
    out_.open('{').key("rank");
    if (each.rank >= 0) out_.value(each.rank);
    else out_.null();
    out_.key("path").value(each.path).key("version");
    if (each.version.empty()) out_.null();
    else out_.value(each.version);
    out_.key("host");
    if (each.host.empty()) out_.null();
    else out_.value(each.host);
    out_.key("entries").value(static_cast<std::int64_t>(each.entries)).key("truncated").truth(each.truncated);
    if (each.rejection) {
      out_.key("rejected").open('{').key("offset").value(static_cast<std::int64_t>(each.rejection->offset)).key("opcode");
      if (each.rejection->opcode < 0) out_.null();
      else out_.value(each.rejection->opcode);
      out_.key("why").value(each.rejection->why).close('}');
    }
    out_.close('}');
  }

  void job(const std::vector<std::string>& errors) {
    out_.key("job").open('{').key("world_size");
    if (join_.world > 0) out_.value(join_.world);
    else out_.null();
    out_.key("dumps").open('[');
    std::size_t shown = 0;
    for (const std::vector<RankDump>* list : {&job_.dumps, &job_.refused}) {
      for (const RankDump& each : *list) {
        if (brief_ && !each.truncated && !each.rejection) continue;
        if (shown++ < caps_.dumps) dump(each);
      }
    }
    out_.close(']');
    count("dumps", job_.dumps.size() + job_.refused.size());
    count("refused", job_.refused.size());
    out_.key("missing_ranks").open('[');
    for (std::size_t i = 0; i < std::min(join_.missing.size(), caps_.ranks); ++i) out_.value(join_.missing[i]);
    out_.close(']');
    count("missing_ranks", join_.missing.size());
    out_.key("errors").open('[');
    for (std::size_t i = 0; i < std::min(errors.size(), caps_.dumps); ++i) out_.value(errors[i]);
    out_.close(']').close('}');
  }

  void group(std::uint32_t g) {
    const Group& each = join_.groups[g];
    out_.open('{').key("name").value(job_.texts.text(each.name)).key("desc").value(job_.texts.text(each.desc));
    std::vector<std::uint32_t> nodes;
    for (const Member& member : each.members) nodes.push_back(member.node);
    ranks("ranks", nodes);
    out_.close('}');
  }

  void operation(std::string_view key, std::uint32_t signature) {
    out_.key(key);
    if (signature == NO_ID) out_.null();
    else out_.value(job_.signatures[signature].operation);
  }

  void verdict(const Verdict& each) {
    out_.open('{').key("type").value(each.type).key("group");
    group(each.group);
    out_.key("sequence").value(each.seq);
    operation("operation", each.signature);
    ranks("culprits", each.culprits);
    ranks("waiting", each.waiting);
    out_.key("confidence").number(each.confidence, 2).key("why").value(each.why).key("since").time(each.since_ns);
    if (!each.groups.empty()) {
      out_.key("ring").open('[');
      for (const auto& [g, seq] : each.groups) {
        if (full()) break;
        out_.open('{').key("group");
        group(g);
        out_.key("sequence").value(seq).close('}');
      }
      out_.close(']');
    }
    evidence(each);
    frames(each);
    out_.close('}');
  }

  void operation_evidence(std::uint32_t node, const Op& op, std::string_view what) {
    const Signature& signature = job_.signatures[op.signature];
    out_.open('{').key("rank").value(rank(node)).key("what").value(what);
    out_.key("group").value(job_.texts.text(join_.dump(node)->groups[op.group].name));
    out_.key("sequence").value(op.seq).key("operation").value(signature.operation);
    out_.key("input_sizes").value(signature.input_sizes).key("output_sizes").value(signature.output_sizes);
    out_.key("dtype").value(signature.dtype).key("time").time(op.created_ns).close('}');
  }

  void evidence(const Verdict& each) {
    out_.key("evidence").open('[');
    std::size_t shown = 0;
    // What the culprits did last, and how far they had come.
    for (const std::uint32_t node : each.culprits) {
      const RankDump* dump = join_.dump(node);
      if (dump == nullptr || shown >= MAX_EVIDENCE / 2 || full()) continue;
      ++shown;
      for (const Member& member : join_.groups[each.group].members) {
        const LocalGroup* local = member.node == node ? join_.local(member) : nullptr;
        if (local == nullptr || each.p2p) continue;  // its numbers are those of collectives
        out_.open('{').key("rank").value(rank(node)).key("what").value("progress in the group");
        out_.key("enqueued").value(std::max(local->entries_enqueued, join_.groups[each.group].status_counts_collectives ? local->enqueued : -1));
        out_.key("status_enqueued").value(local->enqueued).key("status_completed").value(local->completed).close('}');
      }
      if (!dump->ops.empty()) operation_evidence(node, dump->ops.back(), "last recorded operation");
    }
    for (const auto& [node, at] : each.shown) {
      if (shown++ >= MAX_EVIDENCE || full()) break;
      const Op& op = join_.dump(node)->ops[at];
      operation_evidence(node, op, op.done ? "finished" : op.ended_by_abort ? "ended only by the abort" : op.timed_out ? "timed out" : op.started ? "started, unfinished" : "unfinished");
    }
    out_.close(']');
  }

  void stack(std::uint32_t node, std::uint32_t id, std::string_view of) {
    out_.open('{').key("rank").value(rank(node)).key("of").value(of).key("stack").open('[');
    std::size_t shown = 0;
    for (const Frame& frame : job_.stacks[id]) {
      if (shown++ >= caps_.frames || full()) break;
      out_.open('{').key("function").value(job_.texts.text(frame.function)).key("file").value(job_.texts.text(frame.file));
      out_.key("line").value(frame.line).close('}');
    }
    out_.close(']').close('}');
  }

  void frames(const Verdict& each) {
    out_.key("frames").open('[');
    std::vector<std::uint32_t> seen;
    for (const auto& [node, at] : each.shown) {
      const std::uint32_t id = join_.dump(node)->stack(at);
      if (id == NO_ID || std::find(seen.begin(), seen.end(), id) != seen.end()) continue;
      seen.push_back(id);
      stack(node, id, "unfinished operation");
      if (seen.size() >= MAX_STACKS) break;
    }
    std::size_t culprits = 0;
    for (const std::uint32_t node : each.culprits) {
      const RankDump* dump = join_.dump(node);
      if (dump == nullptr || dump->ops.empty() || culprits >= MAX_STACKS) continue;
      const std::uint32_t id = dump->stack(dump->ops.size() - 1);
      if (id == NO_ID || std::find(seen.begin(), seen.end(), id) != seen.end()) continue;
      ++culprits;
      stack(node, id, "last recorded operation");
    }
    out_.close(']');
  }

  std::string young() const {
    const Young& is = join_.young;
    const auto seconds = [](std::int64_t ns) {
      const std::string tenths = std::to_string(std::max<std::int64_t>(ns, 0) / 100'000'000);
      return (tenths.size() > 1 ? tenths.substr(0, tenths.size() - 1) : "0") + "." + tenths.back() + " s";
    };
    return "what is unfinished is too young to be a stall: " + job_.signatures[is.signature].operation + " " +
           std::to_string(is.seq) + " of group " + job_.texts.text(join_.groups[is.group].name) + " had waited " +
           seconds(is.age_ns) + " when it was dumped, and waits of up to " + seconds(is.usual_ns) +
           " are usual here; if the job hangs, dump again";
  }

  // All that was recorded has ended. Ranks that are at different points say that one stopped between operations.
  void nothing() {
    bool uneven = false;
    for (const Group& each : join_.groups) {
      std::int64_t least = INT64_MAX, most = -1;
      for (const Member& member : each.members) {
        const LocalGroup* local = join_.local(member);
        if (local == nullptr || !local->has_collectives || join_.dump(member.node)->truncated) continue;
        least = std::min(least, local->entries_enqueued);
        most = std::max(most, local->entries_enqueued);
      }
      uneven = uneven || (most > least && least != INT64_MAX);
    }
    uneven = uneven && join_.young.group == NO_ID && !join_.running;
    // What names no operation and no state of a group says nothing of the job, though it could be read.
    const bool empty = std::none_of(job_.dumps.begin(), job_.dumps.end(), [](const RankDump& dump) {
      return dump.entries > 0 || std::any_of(dump.groups.begin(), dump.groups.end(),
                                             [](const LocalGroup& group) { return group.has_status; });
    });
    out_.open('{').key("type").value(uneven ? "outside_nccl" : "none").key("group").null().key("sequence").null();
    out_.key("operation").null().key("culprits").open('[').close(']').key("waiting").open('[').close(']');
    out_.key("confidence").number(empty ? 0 : uneven ? 0.4 : 0.8, 2).key("why");
    if (join_.young.group != NO_ID) out_.value(young());
    else out_.value(job_.dumps.empty() ? "no dump could be read"
               : empty  ? "no dump names an operation or tells how far a group is: nothing can be said of the job"
               : uneven ? "no recorded operation is unfinished, though ranks stand at different points: look outside the collectives"
                        : "no recorded operation is unfinished: if the job hangs, look outside the collectives");
    out_.key("since").null().key("evidence").open('[').close(']').key("frames").open('[').close(']').close('}');
  }

  void culprits() {
    std::map<std::int64_t, std::vector<const Verdict*>> named;
    for (const Verdict& each : join_.verdicts) {
      for (const std::uint32_t node : each.culprits) named[rank(node)].push_back(&each);
    }
    out_.key("culprits").open('[');
    std::size_t shown = 0;
    for (const auto& [number, verdicts] : named) {
      if (shown++ >= caps_.ranks) break;
      double confidence = 0;
      for (const Verdict* each : verdicts) confidence = std::max(confidence, each->confidence);
      out_.open('{').key("rank").value(number).key("confidence").number(confidence, 2).key("reasons").open('[');
      for (std::size_t i = 0; i < std::min(verdicts.size(), caps_.verdicts) && !full(); ++i) {
        const Verdict* each = verdicts[i];
        out_.value(std::string(each->type) + ": " + each->why);
      }
      out_.close(']').close('}');
    }
    out_.close(']');
  }

  void stragglers() {
    out_.key("stragglers").open('[');
    std::size_t shown = 0;
    for (const Straggler& each : join_.stragglers) {
      if (shown++ >= caps_.stragglers) break;
      out_.open('{').key("rank").value(each.rank).key("lateness_ms").number(each.lateness_ms, 1);
      out_.key("share").number(each.share, 2).key("samples").value(static_cast<std::int64_t>(each.samples)).key("group");
      group(each.group);
      operation("operation", each.signature);
      out_.key("input_sizes").value(job_.signatures[each.signature].input_sizes).close('}');
    }
    out_.close(']');
  }

  void mismatches() {
    out_.key("mismatches").open('[');
    std::size_t shown = 0;
    for (const Mismatch& each : join_.mismatches) {
      if (shown++ >= caps_.mismatches) break;
      out_.open('{').key("what").value(each.what).key("group");
      group(each.group);
      out_.key("sequence").value(each.seq);
      ranks("ranks", each.differ);
      out_.key("majority").truth(each.majority);
      // Of several operations under one number.
      if (each.launched_expected != 1 || each.launched_found != 1) {
        out_.key("launched").open('{').key("expected").value(static_cast<std::int64_t>(each.launched_expected));
        out_.key("found").value(static_cast<std::int64_t>(each.launched_found)).key("place");
        out_.value(static_cast<std::int64_t>(each.place + 1)).close('}');
      }
      for (const auto& [key, id] : {std::pair("expected", each.expected), std::pair("found", each.found)}) {
        const Signature& signature = job_.signatures[id];
        out_.key(key).open('{').key("operation").value(signature.operation).key("input_sizes").value(signature.input_sizes);
        out_.key("output_sizes").value(signature.output_sizes).key("dtype").value(signature.dtype).close('}');
      }
      out_.close('}');
    }
    out_.close(']');
  }

  const Join& join_;
  const Job& job_;
  bool brief_;
  Caps caps_;
  JsonText out_;
};

}  // namespace

std::string report(const Join& join, const std::vector<std::string>& errors, Length length) {
  return Report(join, length).write(errors);
}

}  // namespace faultline::flight_recorder
