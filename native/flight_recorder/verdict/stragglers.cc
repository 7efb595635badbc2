// Ranks that come late again and again without a hang: counted from the moment a rank was free, not from the clock.
#include <algorithm>
#include <cmath>
#include <map>

#include "flight_recorder/join/by_number.h"
#include "flight_recorder/join/join.h"
#include "flight_recorder/verdict/clocks.h"

namespace faultline::flight_recorder {
namespace {

constexpr std::size_t MIN_SAMPLES = 10;
constexpr std::size_t MAX_SAMPLES = 512;        // the newest of each group
constexpr double MIN_LATENESS_MS = 5;
constexpr double MIN_SHARE = 0.5;
constexpr std::int64_t CLOCKS_APART_NS = 250'000'000;
constexpr std::int64_t LEAST_APART_NS = 5'000'000;  // of clocks that ends tell of; less is the watchdog's

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Arrival {
  std::int64_t seq, created_ns;
  std::uint32_t node, op;
};

class Stragglers {
 public:
  explicit Stragglers(Join& join) : join_(join), job_(join.job), by_number_(join) {}

  void find() {
    clocks();
    released_.resize(job_.dumps.size());
    group_of_.resize(job_.dumps.size());
    for (std::size_t d = 0; d < job_.dumps.size(); ++d) {
      released_[d].assign(job_.dumps[d].ops.size(), 0);
      group_of_[d].assign(job_.dumps[d].groups.size(), NO_ID);
    }
    releases_.resize(join_.groups.size());
    for (std::uint32_t g = 0; g < join_.groups.size(); ++g) {
      const Group& group = join_.groups[g];
      // With a member that left no dump it is not known when the last one came.
      if (std::any_of(group.members.begin(), group.members.end(), [&](const Member& m) { return join_.dump(m.node) == nullptr; })) continue;
      for (const Member& member : group.members) {
        if (member.local != NO_ID) group_of_[join_.nodes[member.node].dump][member.local] = g;
      }
      meetings(group, [&](std::size_t from, std::size_t to) { release(g, from, to); });
    }
    for (std::uint32_t g = 0; g < join_.groups.size(); ++g) {
      samples_.clear();
      std::uint32_t before = NO_ID;
      meetings(join_.groups[g], [&](std::size_t from, std::size_t to) {
        const std::uint32_t now = op(arrivals_[from]).signature;
        if (before != NO_ID) sample(before, now, from, to);
        before = now;
      });
      judge(g);
    }
    std::sort(join_.stragglers.begin(), join_.stragglers.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.rank, -a.share, -a.lateness_ms) < std::tuple(b.rank, -b.share, -b.lateness_ms);
    });
    const auto last = std::unique(join_.stragglers.begin(), join_.stragglers.end(),
                                  [](const auto& a, const auto& b) { return a.rank == b.rank; });
    join_.stragglers.erase(last, join_.stragglers.end());
  }

 private:
  Op op(const Arrival& arrival) const { return join_.dump(arrival.node)->ops[arrival.op]; }
  std::int64_t time(const Arrival& arrival) const { return arrival.created_ns - clock_[arrival.node]; }

  // Calls `each` for every collective that all members with a dump have in it.
  template <typename Each>
  void meetings(const Group& group, Each each) {
    by_number_.clear();
    for (const Member& member : group.members) {
      const RankDump* dump = join_.dump(member.node);
      const LocalGroup* local = join_.local(member);
      if (local == nullptr || !local->has_collectives) continue;
      std::uint32_t end = local->first;
      while (end < local->last && !dump->ops.step(dump->by_group[end]).p2p) ++end;
      const std::uint32_t start = end - local->first > MAX_SAMPLES ? end - static_cast<std::uint32_t>(MAX_SAMPLES) : local->first;
      by_number_.add(member.node, start, end);
    }
    const std::size_t members = by_number_.members();
    if (members < 2) return;
    while (next_arrivals()) {
      for (std::size_t from = 0, to = 0; from < arrivals_.size(); from = to) {
        while (to < arrivals_.size() && arrivals_[to].seq == arrivals_[from].seq) ++to;
        if (to - from == members) each(from, to);
      }
    }
  }

  bool next_arrivals() {
    arrivals_.clear();
    const bool any = by_number_.next([&](std::uint32_t node, std::uint32_t at) {
      const Op here = join_.dump(node)->ops[at];
      const bool again = !arrivals_.empty() && arrivals_.back().node == node && arrivals_.back().seq == here.seq;
      if (!again && here.created_ns > 0) arrivals_.push_back({here.seq, here.created_ns, node, at});
    });
    sort_by_number(arrivals_, spare_);
    return any;
  }

  // Clocks of hosts that are not set alike. Only a difference that no work explains is taken off.
  void clocks() {
    clock_.assign(join_.nodes.size(), 0);
    doubt_ms_.assign(join_.nodes.size(), 0);
    std::vector<std::vector<double>> apart(join_.nodes.size());
    const auto by_ends = clocks_by_ends(join_);
    std::vector<double> times;
    for (const Group& group : join_.groups) {
      // Where ends tell of the clocks of all, what arrivals would say of them is not asked.
      if (std::all_of(group.members.begin(), group.members.end(), [&](const Member& m) { return by_ends[m.node].has_value(); })) continue;
      meetings(group, [&](std::size_t from, std::size_t to) {
        const auto later = [&](std::size_t i) { return static_cast<double>(arrivals_[i].created_ns - arrivals_[from].created_ns); };
        times.clear();
        for (std::size_t i = from; i < to; ++i) times.push_back(later(i));
        const double middle = median(times);
        for (std::size_t i = from; i < to; ++i) {
          if (!by_ends[arrivals_[i].node]) apart[arrivals_[i].node].push_back(later(i) - middle);
        }
      });
    }
    std::map<std::string, std::vector<double>> hosts;
    for (std::size_t n = 0; n < apart.size(); ++n) {
      const std::int64_t doubt = by_ends[n] ? 3 * by_ends[n]->doubt_ns : 0;
      if (by_ends[n] && std::abs(by_ends[n]->ahead_ns) > std::max(LEAST_APART_NS, doubt)) {
        clock_[n] = by_ends[n]->ahead_ns;
        doubt_ms_[n] = static_cast<double>(doubt) / 1e6;
      }
      if (apart[n].empty() || by_ends[n]) continue;
      const double own = median(apart[n]);
      const RankDump* dump = join_.dump(static_cast<std::uint32_t>(n));
      if (!dump->host.empty()) hosts[dump->host].push_back(own);
      else if (std::abs(own) > CLOCKS_APART_NS) clock_[n] = static_cast<std::int64_t>(own);
    }
    std::map<std::string, double> middle;
    for (auto& [host, values] : hosts) middle.emplace(host, median(values));
    for (std::size_t n = 0; n < apart.size(); ++n) {
      const RankDump* dump = join_.dump(static_cast<std::uint32_t>(n));
      if (dump == nullptr || dump->host.empty() || !middle.contains(dump->host) || by_ends[n]) continue;
      const double own = middle.at(dump->host);
      if (std::abs(own) > CLOCKS_APART_NS) clock_[n] = static_cast<std::int64_t>(own);
    }
  }

  // All leave a collective when the last has come.
  void release(std::uint32_t g, std::size_t from, std::size_t to) {
    std::int64_t last = INT64_MIN;
    for (std::size_t i = from; i < to; ++i) last = std::max(last, time(arrivals_[i]));
    releases_[g].push_back(last);
    const auto number = static_cast<std::uint16_t>(releases_[g].size());
    for (std::size_t i = from; i < to; ++i) released_[join_.nodes[arrivals_[i].node].dump][arrivals_[i].op] = number;
  }

  // How long each was busy of its own between the operation before and this one, against the median of the others.
  void sample(std::uint32_t before, std::uint32_t now, std::size_t from, std::size_t to) {
    std::vector<double> busy;
    for (std::size_t i = from; i < to; ++i) {
      const Arrival& arrival = arrivals_[i];
      if (arrival.op == 0) return;
      const RankDump* dump = join_.dump(arrival.node);
      const std::int64_t came = time(arrival);
      const Op before_it = dump->ops[arrival.op - 1];
      const std::int64_t entered = before_it.created_ns - clock_[arrival.node];
      const std::uint32_t d = join_.nodes[arrival.node].dump;
      const std::uint16_t number = released_[d][arrival.op - 1];
      const std::int64_t free = number == 0 ? 0 : releases_[group_of_[d][before_it.group]][number - 1u];
      if (free == 0) return;
      busy.push_back(static_cast<double>(came - (free > entered && free <= came ? free : entered)) / 1e6);
    }
    std::vector<double> sorted = busy;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = from; i < to; ++i) {
      const double own = busy[i - from];
      // The median of the others: drop the own value from the sorted list.
      const std::size_t at = static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), own) - sorted.begin());
      const std::size_t middle = (sorted.size() - 1) / 2;
      samples_[{arrivals_[i].node, before, now}].push_back(own - sorted[middle < at ? middle : middle + 1]);
    }
  }

  void judge(std::uint32_t g) {
    // Noise of the same step over all ranks of the group.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<double>> noise;
    for (const auto& [at, values] : samples_) {
      auto& all = noise[{std::get<1>(at), std::get<2>(at)}];
      for (const double value : values) all.push_back(std::abs(value));
    }
    // Once a step and not once a rank of it, or large groups take the square of their size.
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> spreads;
    for (auto& [step, all] : noise) {
      // With two members the straggler's own lateness is half of the noise; then its share alone must speak.
      spreads.emplace(step, join_.groups[g].members.size() > 3 ? median(all) : 0);
    }
    double doubt = 0;
    for (const Member& member : join_.groups[g].members) doubt = std::max(doubt, doubt_ms_[member.node]);
    for (const auto& [at, values] : samples_) {
      if (values.size() < MIN_SAMPLES) continue;
      const double spread = spreads.at({std::get<1>(at), std::get<2>(at)});
      const double limit = std::max({MIN_LATENESS_MS, 3 * spread, doubt});
      std::vector<double> late;
      for (const double value : values) {
        if (value > limit) late.push_back(value);
      }
      const double share = static_cast<double>(late.size()) / static_cast<double>(values.size());
      if (late.empty() || share < MIN_SHARE) continue;
      join_.stragglers.push_back({join_.nodes[std::get<0>(at)].rank, median(late), share, g, std::get<2>(at), values.size()});
    }
  }

  Join& join_;
  const Job& job_;
  ByNumber by_number_;
  std::vector<Arrival> arrivals_, spare_;
  std::vector<std::int64_t> clock_;                    // by node: how far its clock is ahead
  // By group when all left its collectives, and by dump and operation which of these it was, counted from one: a quarter of
  // what the times themselves would take where there are millions of operations.
  std::vector<std::vector<std::int64_t>> releases_;
  std::vector<std::vector<std::uint16_t>> released_;
  static_assert(MAX_SAMPLES < UINT16_MAX);
  std::vector<std::vector<std::uint32_t>> group_of_;   // by dump and its group
  std::vector<double> doubt_ms_;                       // by node: how far off that may be
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<double>> samples_;
};

}  // namespace

void find_stragglers(Join& join) { Stragglers(join).find(); }

}  // namespace faultline::flight_recorder
