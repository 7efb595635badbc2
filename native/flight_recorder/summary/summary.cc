// What a host tells the others of the dumps it has: written.
#include "flight_recorder/summary/summary.h"

#include <algorithm>

#include "flight_recorder/report/json_text.h"
#include "flight_recorder/summary/summary_fields.h"

namespace faultline::flight_recorder {
namespace {

constexpr std::size_t MAX_FRAMES = 4, MAX_TEXT = 128;

// Numbers that others gave, in the order in which they are first asked for.
class Order {
 public:
  std::int64_t of(std::uint32_t id) {
    if (id == NO_ID) return -1;
    const auto [at, added] = numbers_.try_emplace(id, static_cast<std::int64_t>(ids_.size()));
    if (added) ids_.push_back(id);
    return at->second;
  }
  const std::vector<std::uint32_t>& ids() const { return ids_; }

 private:
  std::unordered_map<std::uint32_t, std::int64_t> numbers_;
  std::vector<std::uint32_t> ids_;
};

class Writer {
 public:
  explicit Writer(const Job& job) : job_(job) {}

  std::string write() {
    out_.open('{').key("schema").value(SUMMARY_SCHEMA).key("summary").open('[').open('[');
    for (const RankDump& dump : job_.dumps) rank(dump);
    for (const RankDump& dump : job_.refused) refused(dump);
    out_.close(']').open('[');
    for (const std::uint32_t id : signatures_.ids()) signature(job_.signatures[id]);
    out_.close(']').open('[');
    for (const std::uint32_t id : lists_.ids()) out_.value(runs_of(job_.rank_lists[id]));
    out_.close(']').open('[');
    for (const std::uint32_t id : stacks_.ids()) stack(job_.stacks[id]);
    out_.close(']').close(']').close('}');
    return out_.take();
  }

 private:
  // Unfinished operations of a group from the first on, and the last that were finished before.
  std::vector<std::uint32_t> kept_of(const RankDump& dump, const LocalGroup& local) const {
    std::vector<std::uint32_t> kept;
    std::size_t open[2] = {0, 0};
    std::vector<std::uint32_t> finished;
    std::uint32_t sized = NO_ID;
    for (std::uint32_t i = local.first; i < local.last; ++i) {
      const std::uint32_t at = dump.by_group[i];
      const Op& op = dump.ops[at];
      const Kind kind = job_.signatures[op.signature].kind;
      if (!op.done && open[op.p2p]++ < MAX_SUMMARY_UNFINISHED) kept.push_back(at);
      if (op.done && !op.p2p) finished.push_back(at);
      // What an operation made of its input says how many members the group has.
      if (op.done && (kind == Kind::all_gather || kind == Kind::reduce_scatter)) sized = at;
    }
    const std::size_t skip = finished.size() - std::min(finished.size(), MAX_SUMMARY_FINISHED);
    kept.insert(kept.end(), finished.begin() + static_cast<std::ptrdiff_t>(skip), finished.end());
    if (sized != NO_ID) kept.push_back(sized);
    return kept;
  }

  // A file that could not be read is not one that never was.
  void refused(const RankDump& dump) {
    if (dump.rank < 0) return;
    JsonText part(MAX_TEXT);
    part.open('[').value(dump.rank).value(dump.host).value(dump.version).value(flag::REFUSED);
    for (int i = 0; i < 6; ++i) part.value(std::int64_t{0});
    out_.raw(part.open('[').close(']').open('[').close(']').close(']').take());
  }

  void rank(const RankDump& dump) {
    // Groups that wait come first, then those that were used last.
    std::vector<std::pair<std::pair<bool, std::uint32_t>, std::uint32_t>> groups;
    for (std::uint32_t g = 0; g < dump.groups.size(); ++g) {
      std::uint32_t newest = 0;
      bool open = false;
      for (std::uint32_t i = dump.groups[g].first; i < dump.groups[g].last; ++i) {
        newest = std::max(newest, dump.by_group[i] + 1);
        open = open || !dump.ops[dump.by_group[i]].done;
      }
      groups.push_back({{!open, UINT32_MAX - newest}, g});
    }
    std::sort(groups.begin(), groups.end());
    if (groups.size() > MAX_SUMMARY_GROUPS) groups.resize(MAX_SUMMARY_GROUPS);
    for (;;) {
      JsonText part(MAX_TEXT);
      part_of(dump, groups, part);
      std::string text = part.take();
      if (text.size() <= MAX_SUMMARY_BYTES || groups.size() <= 1) return out_.raw(text), void();
      groups.pop_back();
    }
  }

  template <typename Groups>
  void part_of(const RankDump& dump, const Groups& groups, JsonText& out) {
    const std::int64_t flags = (dump.truncated ? flag::TRUNCATED : 0) | (dump.timing ? flag::TIMING : 0) | (dump.gloo ? flag::GLOO : 0);
    out.open('[').value(dump.rank).value(dump.host).value(dump.version).value(flags);
    out.value(static_cast<std::int64_t>(dump.entries)).value(dump.dumped_ns).value(dump.active_ns).value(dump.pause_ns);
    out.value(dump.oldest_ns).value(dump.newest_ns).open('[');
    std::vector<std::uint32_t> ops;
    std::unordered_map<std::uint32_t, std::int64_t> numbers;
    // In the dump's own order: where nothing else decides, it does.
    std::vector<std::uint32_t> ids;
    for (const auto& each : groups) ids.push_back(each.second);
    std::sort(ids.begin(), ids.end());
    for (const std::uint32_t g : ids) {
      const LocalGroup& local = dump.groups[g];
      numbers.emplace(g, static_cast<std::int64_t>(numbers.size()));
      group(local, out);
      const auto kept = kept_of(dump, local);
      ops.insert(ops.end(), kept.begin(), kept.end());
    }
    out.close(']').open('[');
    std::sort(ops.begin(), ops.end());
    ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
    for (const std::uint32_t at : ops) {
      const Op& op = dump.ops[at];
      const std::int64_t is = (op.p2p ? flag::P2P : 0) | (op.sends ? flag::SENDS : 0) | (op.done ? flag::DONE : 0) |
                              (op.started ? flag::STARTED : 0) | (op.timed_out ? flag::TIMED_OUT : 0) |
                              (op.ended_by_abort ? flag::ABORTED : 0);
      out.open('[').value(numbers.at(op.group)).value(op.seq).value(signatures_.of(op.signature));
      out.value(op.created_ns == 0 ? 0 : op.created_ns - dump.oldest_ns + 1).value(is);
      const std::int64_t stack = op.done ? -1 : stacks_.of(dump.stack(at));
      if (op.p2p || stack >= 0) out.value(stack);
      if (op.p2p) out.value(std::int64_t{op.self()}).value(std::int64_t{op.peer});
      out.close(']');
    }
    out.close(']').close(']');
  }

  void group(const LocalGroup& local, JsonText& out) {
    const std::int64_t is = (local.has_status ? flag::STATUS : 0) | (local.has_ops ? flag::OPS : 0) |
                            (local.has_p2p ? flag::HAS_P2P : 0) | (local.has_collectives ? flag::COLLECTIVES : 0) |
                            (local.counts_ops ? flag::COUNTS_OPS : 0);
    out.open('[').value(job_.texts.text(local.name)).value(job_.texts.text(local.desc)).value(lists_.of(local.ranks));
    out.value(local.pg_id).value(is).value(local.enqueued).value(local.completed).value(local.entries_enqueued);
    out.value(local.entries_completed).value(local.slowest_ns).value(local.timeout_ms);
    out.value(static_cast<std::int64_t>(local.settled)).close(']');
  }

  void signature(const Signature& is) {
    JsonText part(MAX_TEXT);
    part.open('[').value(is.operation).value(is.input_sizes).value(is.output_sizes).value(is.dtype);
    part.value(is.input_elements).value(is.output_elements).value(is.compared_elements).close(']');
    out_.raw(part.take());
  }

  void stack(const std::vector<Frame>& frames) {
    JsonText part(MAX_TEXT);
    part.open('[');
    for (std::size_t i = 0; i < std::min(frames.size(), MAX_FRAMES); ++i) {
      part.value(job_.texts.text(frames[i].function)).value(job_.texts.text(frames[i].file)).value(frames[i].line);
    }
    out_.raw(part.close(']').take());
  }

  const Job& job_;
  JsonText out_;
  Order signatures_, lists_, stacks_;
};

}  // namespace

// "0-3, 8-64/8": from, to, step; ranks in the group's own order.
std::string runs_of(const std::vector<std::int64_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    const std::int64_t step = end < ranks.size() ? ranks[end] - ranks[i] : 1;
    while (step > 0 && end < ranks.size() && ranks[end] - ranks[end - 1] == step) ++end;
    if (end - i == 2) end = i + 1;  // two are no run
    if (!text.empty()) text += ',';
    text += std::to_string(ranks[i]);
    if (end - i > 2) text += '-' + std::to_string(ranks[end - 1]);
    if (end - i > 2 && step > 1) text += '/' + std::to_string(step);
    i = end;
  }
  return text;
}

std::string summary_of(const Job& job) {
  return job.dumps.empty() || job.dumps.size() > MAX_SUMMARY_RANKS ? std::string() : Writer(job).write();
}

}  // namespace faultline::flight_recorder
