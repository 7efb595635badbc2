// Takes over from one dump what the join needs, and decides for each operation whether it had finished.
#include <algorithm>

#include "flight_recorder/files/file.h"
#include "flight_recorder/join/age.h"
#include "flight_recorder/limits.h"
#include "flight_recorder/load/launches.h"
#include "flight_recorder/load/signature.h"

namespace faultline::flight_recorder {
namespace {

// An operation as it is found and as it is kept, its place by group, where its row was, its stack.
static_assert(sizeof(Op) + PACKED_BYTES + 4 * sizeof(std::uint32_t) <= LATER_BYTES);

class Loader {
 public:
  Loader(const Dump& dump, Job& job, RankDump& into)
      : dump_(dump), job_(job), into_(into), signatures_(dump, job), room_(dump.file_size * BUDGET_FACTOR + BUDGET_BASE) {}

  void load() {
    job_.bytes += dump_.file_size;
    into_.truncated = dump_.truncated;
    into_.version = dump_.string(dump_.find(Name::version)).substr(0, 32);
    into_.library = dump_.string(dump_.find(Name::comm_lib_version)).substr(0, 64);
    if (into_.library.empty()) into_.library = dump_.string(dump_.find(Name::nccl_version)).substr(0, 64);
    into_.entries = dump_.rows.size();
    order_rows();
    drop_damaged();
    read_config();
    read_rows();
    place_unnamed();
    read_status();
    doubt_nameless();
    settle_launches(dump_, rows_, job_, into_, ops_);
    settle_in_order();
    into_.whole = !into_.truncated && !rows_.empty() && dump_.rows[rows_.front()].record_id == 0 &&
                  dump_.rows[rows_.back()].record_id < static_cast<std::int64_t>(rows_.size());
    measure_pace(dump_, rows_, ops_, into_);
    keep_stacks();
    const std::int64_t first = rows_.empty() ? 0 : std::max<std::int64_t>(dump_.rows[rows_.front()].record_id, 0);
    keep_operations(ops_, static_cast<std::size_t>(first), job_, into_);
  }

 private:
  // Numbers of this dump's texts and lists.
  struct Described {
    std::uint32_t name, input_sizes, output_sizes, input_dtypes, output_dtypes, pg_name, pg_desc;
    bool operator==(const Described&) const = default;
    std::size_t place() const {
      const std::uint64_t sizes = (std::uint64_t{input_sizes} << 32 | output_sizes) * 0x9e3779b97f4a7c15ULL;
      const std::uint64_t names = (std::uint64_t{name} << 32 | pg_name) * 0xff51afd7ed558ccdULL;
      return static_cast<std::size_t>((sizes ^ names ^ std::uint64_t{pg_desc} << 40) >> 32) * 0x9e3779b9U >> 24 & (PLACES - 1);
    }
  };
  static constexpr std::size_t PLACES = 256;
  struct Said {
    bool known = false;
    Described by{};
    std::uint32_t group = 0, signature = 0;
    Kind kind = Kind::other;
    OperationName name;
  };

  // The recorder writes oldest first; a file may say otherwise.
  void order_rows() {
    rows_.resize(dump_.rows.size());
    bool sorted = true;
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      rows_[i] = i;
      sorted = sorted && (i == 0 || dump_.rows[i - 1].record_id <= dump_.rows[i].record_id);
    }
    // A recorder that was reset starts again at 0: what comes before is of an earlier run of the job in these processes,
    // and its groups counted by themselves.
    std::uint32_t reset = 0;
    for (std::uint32_t i = 1; i < rows_.size() && !sorted; ++i) {
      const Row& row = dump_.rows[i];
      const Row& before = dump_.rows[i - 1];
      if (row.record_id == 0 && before.record_id > 0 && row.created_ns >= before.created_ns) reset = i;
    }
    rows_.erase(rows_.begin(), rows_.begin() + reset);
    if (sorted || reset > 0) return;
    std::stable_sort(rows_.begin(), rows_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return dump_.rows[a].record_id < dump_.rows[b].record_id;
    });
  }

  // An entry without its number or its name cannot be held against what the others recorded: something is damaged.
  void drop_damaged() {
    const auto damaged = [&](std::uint32_t at) {
      const Row& row = dump_.rows[at];
      return row.profiling_name == 0 || (row.collective_seq < 0 && row.p2p_seq < 0);
    };
    into_.truncated = std::erase_if(rows_, damaged) > 0 || into_.truncated;
  }

  // Null for one too many.
  LocalGroup* group(std::string_view name, std::string_view desc) {
    if (into_.groups.size() >= MAX_GROUPS) {
      into_.truncated = true;
      return nullptr;
    }
    const std::uint32_t name_id = job_.texts.id(name.substr(0, 1024));
    const std::uint32_t desc_id = job_.texts.id(desc.substr(0, 1024));
    const std::uint64_t pair = (std::uint64_t{name_id} << 32) | desc_id;
    const auto [at, added] = group_ids_.try_emplace(pair, static_cast<std::uint32_t>(into_.groups.size()));
    if (added) {
      LocalGroup made{};
      made.name = name_id;
      made.desc = desc_id;
      into_.groups.push_back(made);
    }
    return &into_.groups[at->second];
  }

  void read_config() {
    const auto config = dump_.find(Name::pg_config);
    if (!config || !config->is(Value::Tag::mapping)) return;
    const auto pairs = dump_.tables.values(config->index());
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      std::string_view name = dump_.text(pairs[i].index());
      std::string_view desc, ranks;
      if (pairs[i + 1].is(Value::Tag::sequence)) {
        unnamed_.emplace_back(name, rank_list(pairs[i + 1].index()));
        continue;
      }
      if (pairs[i + 1].is(Value::Tag::mapping)) {
        const auto fields = dump_.tables.values(pairs[i + 1].index());
        for (std::size_t f = 0; f + 1 < fields.size(); f += 2) {
          const auto key = static_cast<Name>(fields[f].index());
          if (key == Name::desc) desc = dump_.string(fields[f + 1]);
          if (key == Name::ranks) ranks = dump_.string(fields[f + 1]);
        }
      }
      const std::uint32_t list = rank_list(ranks);
      if (list == NO_ID) continue;  // Gloo writes "[]" once there are several groups
      // Gloo knows the world under no name.
      nameless_ = name.empty() && desc.empty();
      if (nameless_) name = "0", desc = "default_pg";
      if (LocalGroup* const made = group(name, desc); made != nullptr) made->ranks = list;
    }
  }

  // Format 1.2 gives the members under the local number, without a description: that of the entries is it then.
  void place_unnamed() {
    for (const auto& [number, list] : unnamed_) {
      bool placed = false;
      for (LocalGroup& local : into_.groups) {
        const bool is = job_.texts.text(local.name) == number || std::to_string(local.pg_id) == number;
        if (list == NO_ID || !is || local.ranks != NO_ID) continue;
        local.ranks = list;
        placed = true;
      }
      LocalGroup* const made = placed || list == NO_ID ? nullptr : group(number, "");
      if (made != nullptr) made->ranks = list;
    }
  }

  std::uint32_t rank_list(std::uint32_t sequence) {
    std::string text = "[";
    for (const Value each : dump_.tables.values(sequence)) {
      text += (text.size() > 1 ? ", " : "") + std::to_string(integer_of(dump_.tables, each).value_or(-1));
    }
    return rank_list(std::string_view(text + "]"));
  }

  // Every rank writes the same lists, of thousands of ranks in large jobs: each is parsed once. NO_ID for none.
  std::uint32_t rank_list(std::string_view text) {
    std::string key(text);
    if (const auto known = job_.rank_list_ids.find(key); known != job_.rank_list_ids.end()) return known->second;
    auto list = ranks_of(text);
    if (!list || list->empty() || named_twice(*list)) return NO_ID;
    // A list is kept here, and twice in the join; its text is what it is found by.
    const std::size_t cost = text.size() + list->size() * 3 * sizeof(std::int64_t);
    if (cost > room_) return NO_ID;
    room_ -= cost;
    const auto id = static_cast<std::uint32_t>(job_.rank_lists.size());
    job_.rank_lists.push_back(std::move(*list));
    job_.rank_list_ids.emplace(std::move(key), id);
    return id;
  }

  // No group has a rank twice.
  static bool named_twice(std::vector<std::int64_t> ranks) {
    std::sort(ranks.begin(), ranks.end());
    return std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end();
  }

  // What operations that are described alike have in common. Null where their group would be one too many.
  const Said* said_by(const Row& row) {
    const Described by{row.profiling_name, row.input_sizes, row.output_sizes, row.input_dtypes, row.output_dtypes, row.pg_name, row.pg_desc};
    Said& said = said_[by.place()];
    if (said.known && said.by == by) return &said;
    const auto [known, added] = groups_.try_emplace((std::uint64_t{row.pg_name} << 32) | row.pg_desc, NO_ID);
    if (added) {
      std::string_view name = dump_.text(row.pg_name);
      // Before 2.3 there was no name: the local number is the best there is.
      const std::string number = std::to_string(row.pg_id);
      if (name.empty() && row.pg_name == 0 && row.pg_id >= 0) name = number;
      LocalGroup* const made = group(name, dump_.text(row.pg_desc));
      if (made == nullptr) return nullptr;
      known->second = static_cast<std::uint32_t>(made - into_.groups.data());
    }
    said = {true, by, known->second, signatures_.of(row), Kind::other, operation_name(dump_.text(row.profiling_name))};
    said.kind = job_.signatures[said.signature].kind;
    return &said;
  }

  void read_rows() {
    ops_.reserve(rows_.size());
    for (const std::uint32_t at : rows_) {
      const Row& row = dump_.rows[at];
      const Said* const said = said_by(row);
      if (said == nullptr) break;
      LocalGroup& local = into_.groups[said->group];
      const OperationName& name = said->name;
      const std::string_view backend = name.backend;
      into_.gloo = into_.gloo || backend == "gloo";
      Op op{};
      op.created_ns = row.created_ns;
      op.group = static_cast<std::uint16_t>(said->group);
      op.signature = said->signature;
      op.peer = name.peer;
      const Kind kind = said->kind;
      op.p2p = row.is_p2p || kind == Kind::send || kind == Kind::recv;
      op.sends = kind == Kind::send;
      op.seq = op.p2p && row.p2p_seq >= 0 ? row.p2p_seq : row.collective_seq;
      op.started = row.state == Row::State::started || row.started_seen;
      into_.timing = into_.timing || op.started;
      decide(row, backend, op);
      const std::int64_t took_us = (row.completed_ns - row.created_ns) / 1000;
      const bool noticed = op.done && row.completed_ns > 0 && took_us >= 0 && took_us < INT32_MAX;
      op.own = op.p2p ? name.self : noticed ? static_cast<std::int32_t>(took_us) : -1;
      local.pg_id = row.pg_id;
      local.has_ops = true;
      local.has_p2p = local.has_p2p || op.p2p;
      local.has_collectives = local.has_collectives || !op.p2p;
      local.counts_ops = local.counts_ops || row.op_id != row.collective_seq;
      // Point-to-point entries carry the number of the last collective.
      local.entries_enqueued = std::max(local.entries_enqueued, row.collective_seq);
      if (op.done && !op.p2p) local.entries_completed = std::max(local.entries_completed, op.seq);
      if (op.created_ns > 0) {
        into_.oldest_ns = into_.oldest_ns == 0 ? op.created_ns : std::min(into_.oldest_ns, op.created_ns);
        into_.newest_ns = std::max(into_.newest_ns, op.created_ns);
      }
      ops_.push_back(op);
    }
  }

  // A recorder that moves its states says "completed"; Gloo's and unknown ones only retire what has ended.
  static void decide(const Row& row, std::string_view backend, Op& op) {
    const bool moves_states = backend.find("ccl") != std::string_view::npos;
    op.done = row.state == Row::State::completed || row.completed_ns > 0;
    if (!moves_states) {
      op.done = op.done || row.retired;
      return;
    }
    op.timed_out = row.retired && !op.done;
    // An aborted communicator ends hung kernels long after their time was up.
    const std::int64_t allowed = std::int64_t{row.timeout_ms} * 1'000'000;
    if (op.done && allowed > 0 && row.completed_ns > 0 && row.created_ns > 0 &&
        row.completed_ns - row.created_ns >= allowed) {
      op.done = false;
      op.ended_by_abort = true;
    }
  }

  void read_status() {
    const auto status = dump_.find(Name::pg_status);
    if (!status || !status->is(Value::Tag::mapping)) return;
    const auto pairs = dump_.tables.values(status->index());
    std::vector<std::pair<std::int64_t, std::span<const Value>>> found;
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
      const auto id = integer_of(dump_.tables, pairs[i]);
      if (!id || !pairs[i + 1].is(Value::Tag::mapping)) continue;
      found.emplace_back(*id, dump_.tables.values(pairs[i + 1].index()));
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    guess_local_numbers(found);
    std::unordered_map<std::int64_t, LocalGroup*> by_id;
    for (LocalGroup& local : into_.groups) {
      if (local.pg_id >= 0) by_id[local.pg_id] = &local;
    }
    for (const auto& [id, fields] : found) {
      const auto at = by_id.find(id);
      if (at == by_id.end()) continue;
      LocalGroup& local = *at->second;
      std::optional<std::int64_t> enqueued, completed;
      for (std::size_t f = 0; f + 1 < fields.size(); f += 2) {
        const auto key = static_cast<Name>(fields[f].index());
        if (key == Name::last_enqueued_collective) enqueued = integer_of(dump_.tables, fields[f + 1]);
        if (key == Name::last_completed_collective) completed = integer_of(dump_.tables, fields[f + 1]);
      }
      // Half a status says nothing, and nothing can have ended that was never begun.
      if (!enqueued || !completed || *completed > *enqueued) continue;
      local.has_status = true;
      local.enqueued = *enqueued;
      local.completed = *completed;
    }
  }

  void forget_members(std::string_view name, std::string_view desc) {
    if (LocalGroup* const made = group(name, desc); made != nullptr) made->ranks = NO_ID;
  }

  // Gloo has one place for the members of all its groups. Once there are several, what it holds is of any of them, in
  // numbers of that group.
  void doubt_nameless() {
    if (!nameless_) return;
    const auto status = dump_.find(Name::pg_status);
    const bool several = status && status->is(Value::Tag::mapping) && dump_.tables.values(status->index()).size() > 2;
    if (several || into_.groups.size() > 1) forget_members("0", "default_pg");
  }

  // pg_status knows groups by a local number that only entries tie to a name. Both are given in the order in which the
  // groups were made, so with as many numbers as names they pair up, unless an entry says otherwise.
  template <typename Found>
  void guess_local_numbers(const Found& found) {
    std::vector<std::pair<std::int64_t, LocalGroup*>> named;
    for (LocalGroup& local : into_.groups) {
      const std::string& name = job_.texts.text(local.name);
      std::int64_t number = 0;
      for (const char c : name) {
        if (c < '0' || c > '9' || number > 100'000'000) return;
        number = number * 10 + (c - '0');
      }
      if (name.empty()) return;
      named.emplace_back(number, &local);
    }
    if (named.size() != found.size()) return;
    std::sort(named.begin(), named.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < named.size(); ++i) {
      if (named[i].second->pg_id >= 0 && named[i].second->pg_id != found[i].first) return;
    }
    for (std::size_t i = 0; i < named.size(); ++i) named[i].second->pg_id = found[i].first;
  }

  // Collectives of one communicator end in order, so one that ended has ended all before it. Gloo's need not.
  void settle_in_order() {
    if (into_.gloo) return;
    for (Op& op : ops_) {
      const LocalGroup& local = into_.groups[op.group];
      if (op.p2p || op.done || op.ended_by_abort) continue;
      const bool by_status = local.has_status && !local.has_p2p && op.seq <= local.completed;
      op.done = op.seq <= local.entries_completed || by_status;
    }
  }

  void keep_stacks() {
    std::vector<std::uint32_t> last(into_.groups.size(), NO_ID);
    for (std::uint32_t at = 0; at < ops_.size(); ++at) last[ops_[at].group] = at;
    const auto has = [&](std::uint32_t at) { return !ops_[at].done || last[ops_[at].group] == at; };
    std::size_t count = 0;
    for (std::uint32_t at = 0; at < ops_.size(); ++at) count += has(at);
    into_.stacks.reserve(count);
    for (std::uint32_t at = 0; at < ops_.size(); ++at) {
      const std::uint32_t stack = has(at) ? stack_of(dump_, job_, dump_.rows[rows_[at]].frames) : NO_ID;
      if (stack != NO_ID) into_.stacks.emplace_back(at, stack);
    }
  }

  const Dump& dump_;
  Job& job_;
  RankDump& into_;
  Signatures signatures_;
  std::unordered_map<std::uint64_t, std::uint32_t> groups_;  // by the texts of name and description
  std::vector<Said> said_{PLACES};  // of each place that which was met last
  std::vector<std::uint32_t> rows_;
  std::vector<Op> ops_;
  bool nameless_ = false;
  std::vector<std::pair<std::string_view, std::uint32_t>> unnamed_;  // groups of format 1.2 and their lists
  std::size_t room_;  // bytes that lists of ranks may still take
  std::unordered_map<std::uint64_t, std::uint32_t> group_ids_;
};

}  // namespace

void load(const Dump& dump, Job& job, RankDump& into) { Loader(dump, job, into).load(); }

}  // namespace faultline::flight_recorder
