// How old what a rank left unfinished was when it was dumped, and whether that is long for this job.
#include "flight_recorder/join/age.h"

#include <algorithm>

namespace faultline::flight_recorder {
namespace {

constexpr std::int64_t MILLISECOND = 1'000'000, SECOND = 1'000 * MILLISECOND;
// Schedulers, and watchdogs that look once in a while, make a second of nothing.
constexpr std::int64_t LEAST_WAIT = 2 * SECOND;
// Where nothing tells how long such operations take.
constexpr std::int64_t UNKNOWN_WAIT = 10 * SECOND;
// Longer than this is a stall, whatever came before: a checkpoint that took an hour once is not a measure.
constexpr std::int64_t LONGEST_WAIT = 300 * SECOND;
constexpr std::int64_t SLOWER = 2;  // twice the slowest that was seen more than once
constexpr std::uint32_t MIN_SETTLED = 8;  // of one rank
// A file is written a moment before or after what its rank records; further apart the two clocks are not one.
constexpr std::int64_t SAME_CLOCK = 2 * SECOND;

// The second longest of what was seen: once is a start, a connection being made, a compiler; twice is the way of the job.
struct Usual {
  std::int64_t longest = 0, second = 0;
  void take(std::int64_t ns) {
    if (ns > longest) std::swap(ns, longest);
    second = std::max(second, ns);
  }
};

struct Wait {
  std::int64_t age = 0, allowed = 0;
  bool old() const { return age >= allowed; }
};

class Ages {
 public:
  explicit Ages(Join& join) : join_(join) {}

  void drop() {
    for (const RankDump& dump : join_.job.dumps) pause_ns_ = std::max(pause_ns_, dump.pause_ns);
    Young youngest{};
    for (const Stall& stall : join_.stalls) {
      if (stall.mismatch != nullptr || stall.pending.empty()) return;
      for (std::size_t i = 0; i < stall.pending.size(); ++i) {
        if (stall.ops[i] == NO_ID) continue;  // known from the status of a cut dump alone
        const RankDump& dump = *join_.dump(stall.pending[i]);
        const Op& op = dump.ops[stall.ops[i]];
        if (op.timed_out || op.ended_by_abort || op.created_ns <= 0 || !dated(dump)) return;
        const Wait wait = wait_of(join_.groups[stall.group], dump, op);
        if (wait.old()) return;
        if (youngest.group == NO_ID || wait.age > youngest.age_ns) youngest = {wait.age, wait.allowed, stall.group, stall.seq, op.signature};
      }
    }
    if (join_.stalls.empty()) return run();
    if (youngest.group == NO_ID) return;
    join_.young = youngest;
    join_.stalls.clear();
  }

 private:
  // Nothing is unfinished: the job runs if every rank did something just before it was dumped.
  void run() {
    const std::int64_t pause = std::clamp(pause_ns_ * SLOWER, LEAST_WAIT, LONGEST_WAIT);
    join_.running = std::all_of(join_.job.dumps.begin(), join_.job.dumps.end(), [&](const RankDump& dump) {
      return dated(dump) && dump.active_ns > 0 && dump.dumped_ns - dump.active_ns < pause;
    });
  }

  static bool dated(const RankDump& dump) { return dump.dumped_ns > 0 && dump.dumped_ns >= dump.active_ns - SAME_CLOCK; }

  Wait wait_of(const Group& group, const RankDump& dump, const Op& op) const {
    std::int64_t slowest = pause_ns_, timeout = 0;
    std::uint32_t settled = 0;
    for (const Member& member : group.members) {
      const LocalGroup* local = join_.local(member);
      if (local == nullptr) continue;
      slowest = std::max(slowest, local->slowest_ns);
      settled = std::max(settled, local->settled);
      timeout = std::max(timeout, local->timeout_ms * MILLISECOND);
    }
    const std::int64_t longest = std::max(LEAST_WAIT, timeout > 0 ? std::min(timeout / 2, LONGEST_WAIT) : LONGEST_WAIT);
    if (settled >= MIN_SETTLED) {
      return {dump.dumped_ns - op.created_ns, std::clamp(slowest * SLOWER, LEAST_WAIT, longest)};
    }
    // Nothing of this group ended within the record. Then a rank that continues shows in whatever it does.
    const std::int64_t pause = std::clamp(pause_ns_ * SLOWER, UNKNOWN_WAIT, std::max(UNKNOWN_WAIT, longest));
    return {dump.dumped_ns - dump.active_ns, pause};
  }

  Join& join_;
  std::int64_t pause_ns_ = 0;  // of any rank
};

}  // namespace

void measure_pace(const Dump& dump, std::span<const std::uint32_t> rows, std::span<const Op> ops, RankDump& into) {
  std::vector<std::int64_t> before(into.groups.size(), 0);
  std::vector<Usual> took(into.groups.size());
  Usual pauses;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Row& row = dump.rows[rows[i]];
    const Op& op = ops[i];
    LocalGroup& local = into.groups[op.group];
    local.timeout_ms = std::max(local.timeout_ms, std::int64_t{row.timeout_ms});
    into.active_ns = std::max({into.active_ns, op.created_ns, op.ended_by_abort ? 0 : row.completed_ns});
    if (op.created_ns <= 0) continue;
    const auto add = [&](std::int64_t ns) {
      if (ns < 0) return;
      took[op.group].take(ns);
      ++local.settled;
    };
    if (op.done && row.completed_ns > 0) add(row.completed_ns - op.created_ns);
    if (before[op.group] > 0) add(op.created_ns - before[op.group]);
    // From one that did not end there is no telling how long the next took.
    before[op.group] = op.done ? op.created_ns : 0;
    if (last > 0) pauses.take(op.created_ns - last);
    last = op.created_ns;
  }
  into.pause_ns = pauses.second;
  for (std::size_t g = 0; g < took.size(); ++g) into.groups[g].slowest_ns = took[g].second;
}

void drop_young(Join& join) { Ages(join).drop(); }

}  // namespace faultline::flight_recorder
