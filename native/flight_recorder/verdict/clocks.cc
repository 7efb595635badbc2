// How far the clocks of ranks are apart: a collective ends on all its ranks at one moment, whoever came late to it.
#include "flight_recorder/verdict/clocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace faultline::flight_recorder {
namespace {

// A watchdog looks ten times a second: fewer ends would say more of it than of the clocks.
constexpr std::size_t MIN_ENDS = 8;
// Of a median, from the median of absolute deviations: 1.4826 to the deviation, 1.2533 to the error of the median.
constexpr double ERROR_OF_MEDIAN = 1.858;

struct End {
  std::int64_t seq, at_ns;
};

// Ranks that are tied to each other, and how far each is ahead of the one it is tied to.
class Ties {
 public:
  explicit Ties(std::size_t nodes) : parent_(nodes), ahead_(nodes), doubt_(nodes) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::uint32_t root(std::uint32_t node, Clock& clock) const {
    clock = {};
    while (parent_[node] != node) {
      clock.ahead_ns += ahead_[node];
      clock.doubt_ns += doubt_[node];
      node = parent_[node];
    }
    return node;
  }

  void tie(std::uint32_t node, std::uint32_t to, Clock clock) {
    Clock of_node{}, of_to{};
    const std::uint32_t a = root(node, of_node), b = root(to, of_to);
    if (a == b) return;
    // Both hang below roots; the smaller number stays on top, which keeps the answer the same for any order of files.
    const std::int64_t between = clock.ahead_ns + of_to.ahead_ns - of_node.ahead_ns;
    const std::uint32_t below = std::max(a, b);
    parent_[below] = std::min(a, b);
    ahead_[below] = a > b ? between : -between;
    doubt_[below] = clock.doubt_ns + of_to.doubt_ns + of_node.doubt_ns;
  }

 private:
  std::vector<std::uint32_t> parent_;
  std::vector<std::int64_t> ahead_, doubt_;
};

std::vector<End> ends_of(const Join& join, const Member& member) {
  std::vector<End> ends;
  const RankDump* dump = join.dump(member.node);
  const LocalGroup* local = join.local(member);
  if (dump == nullptr || local == nullptr) return ends;
  for (std::uint32_t i = local->first; i < local->last; ++i) {
    const Op& op = dump->ops[dump->by_group[i]];
    if (op.p2p) break;
    if (op.ended_us() < 0 || op.created_ns <= 0 || (!ends.empty() && ends.back().seq == op.seq)) continue;
    ends.push_back({op.seq, op.created_ns + std::int64_t{op.ended_us()} * 1000});
  }
  return ends;
}

struct Tie {
  std::uint32_t node, to;
  Clock clock;
};

std::int64_t median(std::vector<std::int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// How far the second series is ahead of what it should equal.
Clock clock_of(std::vector<std::int64_t>& apart) {
  Clock clock{median(apart), 0};
  for (std::int64_t& each : apart) each = std::abs(each - clock.ahead_ns);
  clock.doubt_ns = static_cast<std::int64_t>(ERROR_OF_MEDIAN * static_cast<double>(median(apart)) / std::sqrt(static_cast<double>(apart.size())));
  return clock;
}

}  // namespace

std::vector<std::optional<Clock>> clocks_by_ends(const Join& join) {
  std::vector<Tie> found;
  for (const Group& group : join.groups) {
    std::vector<End> first;
    std::uint32_t to = NO_ID;
    for (const Member& member : group.members) {
      const std::vector<End> ends = ends_of(join, member);
      if (ends.size() < MIN_ENDS) continue;
      if (to == NO_ID) {
        first = ends;
        to = member.node;
        continue;
      }
      std::vector<std::int64_t> apart;
      for (std::size_t a = 0, b = 0; a < first.size() && b < ends.size();) {
        if (first[a].seq == ends[b].seq) apart.push_back(ends[b++].at_ns - first[a++].at_ns);
        else if (first[a].seq < ends[b].seq) ++a;
        else ++b;
      }
      if (apart.size() < MIN_ENDS) continue;
      found.push_back({member.node, to, clock_of(apart)});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Tie& a, const Tie& b) { return a.clock.doubt_ns < b.clock.doubt_ns; });
  Ties ties(join.nodes.size());
  for (const Tie& each : found) ties.tie(each.node, each.to, each.clock);
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> ahead_of(join.nodes.size());  // and the doubt
  std::vector<std::pair<std::uint32_t, Clock>> place(join.nodes.size());
  for (std::uint32_t n = 0; n < join.nodes.size(); ++n) {
    place[n].first = ties.root(n, place[n].second);
    ahead_of[place[n].first].emplace_back(place[n].second.ahead_ns, place[n].second.doubt_ns);
  }
  std::vector<std::optional<Clock>> clocks(join.nodes.size());
  for (auto& values : ahead_of) std::sort(values.begin(), values.end());
  for (std::uint32_t n = 0; n < join.nodes.size(); ++n) {
    const auto& values = ahead_of[place[n].first];
    if (values.size() < 2) continue;
    const auto [ahead, doubt] = values[values.size() / 2];
    clocks[n] = Clock{place[n].second.ahead_ns - ahead, place[n].second.doubt_ns + doubt};
  }
  return clocks;
}

}  // namespace faultline::flight_recorder
