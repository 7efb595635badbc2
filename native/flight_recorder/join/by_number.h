// The collectives of a group by their number, some numbers at a time: a group of all ranks has millions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "flight_recorder/join/join.h"

namespace faultline::flight_recorder {

// Sorts by `seq`, equal ones as they are. Numbers without wide gaps take one pass.
template <typename Item>
void sort_by_number(std::vector<Item>& items, std::vector<Item>& spare) {
  if (items.empty()) return;
  const auto earlier = [](const Item& a, const Item& b) { return a.seq < b.seq; };
  const auto [least, most] = std::minmax_element(items.begin(), items.end(), earlier);
  const std::int64_t first = least->seq;
  const std::uint64_t span = static_cast<std::uint64_t>(most->seq) - static_cast<std::uint64_t>(first);
  if (span > items.size()) return std::stable_sort(items.begin(), items.end(), earlier);
  std::vector<std::uint32_t> next(static_cast<std::size_t>(span) + 2, 0);
  const auto place = [first](const Item& item) { return static_cast<std::size_t>(item.seq - first); };
  for (const Item& item : items) ++next[place(item) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  spare.resize(items.size());
  for (const Item& item : items) spare[next[place(item)]++] = item;
  std::swap(items, spare);
}

class ByNumber {
 public:
  explicit ByNumber(const Join& join) : join_(join) {}

  void clear() {
    members_.clear();
    span_ = 1;
  }
  // Operations `at` to `end` of RankDump::by_group, all of them collectives, which are in the order of their numbers.
  void add(std::uint32_t node, std::uint32_t at, std::uint32_t end) { members_.push_back({node, at, end}); }
  std::size_t members() const { return members_.size(); }

  // Calls `take(node, op)` for all operations of the lowest numbers that were not taken yet, member by member, each in its
  // order. False when none is left.
  template <typename Take>
  bool next(Take take) {
    std::int64_t lowest = INT64_MAX;
    bool any = false;
    for (const Range& each : members_) {
      if (each.at == each.end) continue;
      lowest = std::min(lowest, number(each));
      any = true;
    }
    if (!any) return false;
    std::size_t taken = 0;
    for (Range& each : members_) {
      const RankDump& dump = *join_.dump(each.node);
      while (each.at < each.end && within(number(each), lowest)) take(each.node, dump.by_group[each.at++]), ++taken;
    }
    // Numbers may lie far apart, and close together again behind that.
    if (taken < AT_ONCE / 2 && span_ <= UINT64_MAX / 2) span_ *= 2;
    if (taken > AT_ONCE * 2) span_ = std::max<std::uint64_t>(1, span_ / 2);
    return true;
  }

 private:
  static constexpr std::size_t AT_ONCE = 32'768;
  struct Range {
    std::uint32_t node, at, end;
  };

  std::int64_t number(const Range& each) const {
    const RankDump& dump = *join_.dump(each.node);
    return dump.ops.step(dump.by_group[each.at]).seq;
  }
  bool within(std::int64_t number, std::int64_t lowest) const {
    return static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(lowest) < span_;
  }

  const Join& join_;
  std::vector<Range> members_;
  std::uint64_t span_ = 1;  // numbers at a time
};

}  // namespace faultline::flight_recorder
