// What a host tells the others of the dumps it has: taken over into a job. It comes from another host and is not believed.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "flight_recorder/limits.h"
#include "flight_recorder/load/signature.h"
#include "flight_recorder/summary/summary.h"
#include "flight_recorder/summary/summary_fields.h"

namespace faultline::flight_recorder {
namespace {

constexpr std::size_t MAX_OPS = 4096;
// Ranks without a dump that could be read come on top.
constexpr std::size_t MAX_TOLD_RANKS = 4 * MAX_SUMMARY_RANKS;
// Summaries further apart are not of one stall.
constexpr std::int64_t WAVE_NS = 15 * std::int64_t{60'000'000'000};
constexpr std::size_t MAX_NAMED = 4;
// As many as a summary of MAX_SUMMARY_RANKS can have of a kind.
constexpr std::size_t MAX_LISTS = MAX_SUMMARY_RANKS * MAX_SUMMARY_GROUPS;
constexpr std::size_t MAX_SHARED = MAX_LISTS * (2 * MAX_SUMMARY_UNFINISHED + MAX_SUMMARY_FINISHED + 1);

class Reader {
 public:
  Reader(const Dump& dump, const std::string& path, Job& job)
      : dump_(dump), path_(path), job_(job) {
    job.bytes += dump.file_size;
  }

  void read() {
    const auto parts = list(dump_.find(Name::summary).value_or(Value()));
    if (parts.size() < 4) return;
    host_ = text(dump_.find(Name::host).value_or(Value())).substr(0, 255);
    name_ = text(dump_.find(Name::job).value_or(Value())).substr(0, 255);
    for (const Value each : first(list(parts[1]), MAX_SHARED)) signatures_.push_back(signature(list(each)));
    for (const Value each : first(list(parts[2]), MAX_LISTS)) lists_.push_back(rank_list(text(each)));
    for (const Value each : first(list(parts[3]), MAX_SHARED)) stacks_.push_back(stack(list(each)));
    for (const Value each : first(list(parts[0]), MAX_TOLD_RANKS)) rank(list(each));
  }

 private:
  using Values = std::span<const Value>;
  static Values first(Values all, std::size_t most) { return all.first(std::min(all.size(), most)); }
  Values list(Value value) const {
    return value.is(Value::Tag::sequence) ? dump_.tables.values(value.index()) : Values();
  }
  std::string_view text(Value value) const { return dump_.string(value); }
  // None is below -1, and all are small enough to be added: times reach to the year 2067.
  std::int64_t number(Value value) const {
    return std::clamp<std::int64_t>(integer_of(dump_.tables, value).value_or(-1), -1, INT64_MAX / 3);
  }

  std::uint32_t signature(Values from) {
    if (from.size() < 7) return NO_ID;
    Signature made;
    made.operation = text(from[0]);
    made.kind = kind_of(made.operation);
    made.input_sizes = text(from[1]);
    made.output_sizes = text(from[2]);
    made.dtype = text(from[3]);
    made.input_elements = number(from[4]);
    made.output_elements = number(from[5]);
    made.compared_elements = number(from[6]);
    return signature_id(std::move(made), job_);
  }

  std::uint32_t rank_list(std::string_view runs) {
    const std::string key = "runs " + std::string(runs);
    if (const auto known = job_.rank_list_ids.find(key); known != job_.rank_list_ids.end()) return known->second;
    const std::size_t left = MAX_SUMMARY_MEMBERS - job_.summary_members;
    auto ranks = ranks_of_runs(runs, std::min<std::size_t>(MAX_RANKS, left));
    if (!ranks || ranks->empty()) return NO_ID;
    job_.summary_members += ranks->size();
    job_.rank_lists.push_back(std::move(*ranks));
    return job_.rank_list_ids.emplace(key, static_cast<std::uint32_t>(job_.rank_lists.size() - 1)).first->second;
  }

  std::uint32_t stack(Values from) {
    std::vector<Frame> frames;
    std::string key = "summary";
    for (std::size_t i = 0; i + 2 < from.size() && i < 48; i += 3) {
      frames.push_back({job_.texts.id(text(from[i])), job_.texts.id(text(from[i + 1])), number(from[i + 2])});
      key += ' ' + std::to_string(frames.back().function) + ' ' + std::to_string(frames.back().file) + ' ' +
             std::to_string(frames.back().line);
    }
    if (frames.empty()) return NO_ID;
    const auto [at, added] = job_.stack_ids.try_emplace(key, static_cast<std::uint32_t>(job_.stacks.size()));
    if (added) job_.stacks.push_back(std::move(frames));
    return at->second;
  }

  static std::uint32_t at(const std::vector<std::uint32_t>& ids, std::int64_t number) {
    return number >= 0 && static_cast<std::size_t>(number) < ids.size() ? ids[static_cast<std::size_t>(number)] : NO_ID;
  }

  void rank(Values from) {
    if (from.size() < 12) return;
    RankDump made;
    made.rank = number(from[0]);
    if (made.rank < 0 || made.rank >= MAX_RANKS) return;
    made.path = path_;
    made.summarised = true;
    made.job = name_;
    made.host = text(from[1]).substr(0, 255);
    if (made.host.empty()) made.host = host_;
    made.version = text(from[2]).substr(0, 32);
    const std::int64_t is = number(from[3]);
    if ((is & flag::REFUSED) != 0) {
      made.rejection = Rejection{0, -1, "could not be read on its host"};
      job_.refused.push_back(std::move(made));
      return;
    }
    made.truncated = (is & flag::TRUNCATED) != 0;
    made.timing = (is & flag::TIMING) != 0;
    made.gloo = (is & flag::GLOO) != 0;
    made.entries = static_cast<std::size_t>(std::max<std::int64_t>(number(from[4]), 0));
    made.dumped_ns = number(from[5]);
    made.active_ns = number(from[6]);
    made.pause_ns = number(from[7]);
    made.oldest_ns = number(from[8]);
    made.newest_ns = number(from[9]);
    for (const Value each : list(from[10])) {
      if (made.groups.size() >= MAX_SUMMARY_GROUPS || !group(list(each), made)) return;
    }
    std::vector<Op> ops;
    for (const Value each : list(from[11])) {
      if (ops.size() >= MAX_OPS || !operation(list(each), made, ops)) return;
    }
    keep_operations(ops, 0, job_, made);
    job_.dumps.push_back(std::move(made));
  }

  bool group(Values from, RankDump& into) {
    if (from.size() < 12) return false;
    LocalGroup made{};
    made.name = job_.texts.id(text(from[0]).substr(0, 1024));
    made.desc = job_.texts.id(text(from[1]).substr(0, 1024));
    made.ranks = at(lists_, number(from[2]));
    made.pg_id = number(from[3]);
    const std::int64_t is = number(from[4]);
    made.has_status = (is & flag::STATUS) != 0;
    made.has_ops = (is & flag::OPS) != 0;
    made.has_p2p = (is & flag::HAS_P2P) != 0;
    made.has_collectives = (is & flag::COLLECTIVES) != 0;
    made.counts_ops = (is & flag::COUNTS_OPS) != 0;
    made.enqueued = number(from[5]);
    made.completed = number(from[6]);
    made.entries_enqueued = number(from[7]);
    made.entries_completed = number(from[8]);
    made.slowest_ns = number(from[9]);
    made.timeout_ms = std::clamp<std::int64_t>(number(from[10]), 0, UINT32_MAX);
    made.settled = static_cast<std::uint32_t>(std::clamp<std::int64_t>(number(from[11]), 0, UINT32_MAX));
    into.groups.push_back(made);
    return true;
  }

  bool operation(Values from, RankDump& into, std::vector<Op>& ops) {
    if (from.size() < 5) return false;
    Op made{};
    const std::int64_t group = number(from[0]);
    made.signature = at(signatures_, number(from[2]));
    if (group < 0 || static_cast<std::size_t>(group) >= into.groups.size() || made.signature == NO_ID) return false;
    made.group = static_cast<std::uint16_t>(group);
    made.seq = number(from[1]);
    const std::int64_t since = number(from[3]);
    made.created_ns = since > 0 && into.oldest_ns > 0 ? into.oldest_ns + since - 1 : 0;
    const std::int64_t is = number(from[4]);
    made.p2p = (is & flag::P2P) != 0;
    made.sends = (is & flag::SENDS) != 0;
    made.done = (is & flag::DONE) != 0;
    made.started = (is & flag::STARTED) != 0;
    made.timed_out = (is & flag::TIMED_OUT) != 0;
    made.ended_by_abort = (is & flag::ABORTED) != 0;
    const std::uint32_t stack = from.size() > 5 ? at(stacks_, number(from[5])) : NO_ID;
    if (stack != NO_ID) into.stacks.emplace_back(static_cast<std::uint32_t>(ops.size()), stack);
    const auto local = [&](std::size_t i) {
      const std::int64_t value = from.size() > i ? number(from[i]) : -1;
      return value < MAX_RANKS ? static_cast<std::int32_t>(value) : -1;
    };
    made.own = made.p2p ? local(6) : -1;
    made.peer = local(7);
    ops.push_back(made);
    return true;
  }

  const Dump& dump_;
  const std::string& path_;
  Job& job_;
  std::string name_, host_;
  std::vector<std::uint32_t> signatures_, lists_, stacks_;
};

bool whole(std::string_view text, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 && number < MAX_RANKS;
}

}  // namespace

std::optional<std::vector<std::int64_t>> ranks_of_runs(std::string_view text, std::size_t most) {
  std::vector<std::int64_t> ranks;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view run = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    std::int64_t from = 0, step = 1;
    if (const std::size_t slash = run.find('/'); slash != std::string_view::npos) {
      if (!whole(run.substr(slash + 1), step) || step == 0) return std::nullopt;
      run = run.substr(0, slash);
    }
    const std::size_t dash = run.find('-');
    if (!whole(run.substr(0, dash), from)) return std::nullopt;
    std::int64_t to = from;
    if (dash != std::string_view::npos && !whole(run.substr(dash + 1), to)) return std::nullopt;
    for (std::int64_t rank = from; rank <= to; rank += step) {
      if (ranks.size() >= most) return std::nullopt;
      ranks.push_back(rank);
    }
  }
  return ranks;
}

bool is_summary(const Dump& dump) { return dump.string(dump.find(Name::schema)) == SUMMARY_SCHEMA; }

std::size_t take_summary(const Dump& dump, const std::string& path, Job& job) {
  const std::size_t before = job.dumps.size() + job.refused.size();
  Reader(dump, path, job).read();
  return job.dumps.size() + job.refused.size() - before;
}

namespace {

// Of each job when most of its ranks last reported: one host's clock may be anywhere.
std::map<std::string, std::int64_t> middles(const Job& job) {
  std::map<std::string, std::map<std::int64_t, std::int64_t>> newest;  // by job and rank
  for (const RankDump& dump : job.dumps) {
    if (!dump.summarised) continue;
    std::int64_t& of_rank = newest[dump.job][dump.rank];
    of_rank = std::max(of_rank, dump.dumped_ns);
  }
  std::map<std::string, std::int64_t> middle;
  for (const auto& [name, ranks] : newest) {
    std::vector<std::int64_t> times;
    for (const auto& [rank, ns] : ranks) times.push_back(ns);
    std::sort(times.begin(), times.end());
    middle[name] = times[times.size() / 2];
  }
  return middle;
}

}  // namespace

void settle_summaries(Job& job, const std::string& name, std::vector<std::string>& said) {
  const std::map<std::string, std::int64_t> newest = middles(job);
  if (newest.empty()) return;
  auto chosen = std::max_element(newest.begin(), newest.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (!name.empty() && newest.contains(name)) chosen = newest.find(name);
  std::string others;
  std::size_t left_out = 0;
  for (const auto& each : newest) {
    if (each.first == chosen->first || ++left_out > MAX_NAMED) continue;
    others += (others.empty() ? "" : ", ") + (each.first.empty() ? std::string("one without a name") : each.first);
  }
  if (left_out > MAX_NAMED) others += " and " + std::to_string(left_out - MAX_NAMED) + " more";
  const std::string kept = chosen->first.empty() ? "the job without a name" : "job " + chosen->first;
  if (!name.empty() && name != chosen->first) said.push_back("FL2417 no summary is of job " + name + ": " + kept + " is analysed");
  else if (left_out > 0) said.push_back("FL2417 there are summaries of more than one job: " + kept + (name.empty() ? ", the newest," : "") + " is analysed, not " + others + (name.empty() ? "; --job NAME takes another" : ""));
  const std::int64_t since = chosen->second - WAVE_NS;
  std::set<std::int64_t> early, there, ahead;
  for (const RankDump& dump : job.dumps) {
    if (dump.summarised && dump.job == chosen->first) {
      (dump.dumped_ns < since ? early : there).insert(dump.rank);
      if (dump.dumped_ns > chosen->second + WAVE_NS) ahead.insert(dump.rank);
    }
  }
  const auto drop = [&](const RankDump& dump) { return dump.summarised && (dump.job != chosen->first || (!dump.rejection && dump.dumped_ns < since)); };
  std::erase_if(job.dumps, drop);
  std::erase_if(job.refused, drop);
  std::erase_if(early, [&](std::int64_t rank) { return there.contains(rank); });
  if (!early.empty()) said.push_back("FL2418 " + std::to_string(early.size()) + " ranks have no summary of the last 15 minutes before those of most ranks: what they reported earlier is left out");
  if (!ahead.empty()) said.push_back("FL2418 " + std::to_string(ahead.size()) + " ranks have a summary that is more than 15 minutes newer than those of most ranks: the clock of their host is ahead, or they tell of a later stall; it counts");
}

}  // namespace faultline::flight_recorder
