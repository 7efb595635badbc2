// Which ranks of a ring entered the operations in another order than the program has them: by the records, then by numbers.
#include "flight_recorder/verdict/out_of_order.h"

#include <algorithm>
#include <map>

#include "flight_recorder/verdict/own_order.h"
#include "flight_recorder/verdict/ring.h"

namespace faultline::flight_recorder {
namespace {

// In a ring of more ranks the numbers on each side say enough.
constexpr std::size_t MAX_JUDGED = 256;

// A rank that waits at one operation of the ring, and another that ranks wait at for it.
struct Crossed {
  const Stall* holds;
  const Stall* lacks;
};

class Judge {
 public:
  Judge(const Join& join, const Nodes& ranks, const std::vector<const Stall*>& stalls) : join_(join), stalls_(stalls) {
    for (const std::uint32_t node : ranks) {
      auto crossed = crossed_by(node);
      // Who came to where all come, and is missed nowhere, only waits with the others.
      if (!crossed.empty()) crossed_.emplace(node, std::move(crossed));
    }
  }

  OutOfOrder find() const {
    OutOfOrder found{by_records(), true};
    if (found.ranks.empty()) found.ranks = by_numbers();
    if (!found.ranks.empty()) return found;
    for (const auto& [node, crossed] : crossed_) found.ranks.push_back(node);
    found.decided = false;
    return found;
  }

 private:
  static bool waits_first(const Stall& stall, std::uint32_t node) { return has(stall.pending, node) && !has(stall.behind, node); }

  std::vector<Crossed> crossed_by(std::uint32_t node) const {
    std::vector<Crossed> found;
    for (const Stall* holds : stalls_) {
      if (holds->p2p || !waits_first(*holds, node)) continue;
      for (const Stall* lacks : stalls_) {
        if (lacks->p2p || lacks->group == holds->group || (!has(lacks->missing, node) && !has(lacks->behind, node))) continue;
        const auto& pending = lacks->pending;
        if (std::any_of(pending.begin(), pending.end(), [&](std::uint32_t other) { return !has(lacks->behind, other); })) {
          found.push_back({holds, lacks});
        }
      }
    }
    return found;
  }

  // Those who did otherwise than before while others did as before; those who alone have no record of it while all others did
  // as before. No rank where most would have: then what was before was another part of the program.
  Nodes by_records() const {
    if (crossed_.size() > MAX_JUDGED) return {};
    Nodes otherwise, unknown;
    std::size_t as_before = 0;
    for (const auto& [node, crossed] : crossed_) {
      const Order order = order_of(node, crossed);
      if (order == Order::otherwise) otherwise.push_back(node);
      if (order == Order::unknown) unknown.push_back(node);
      if (order == Order::as_before) ++as_before;
    }
    const Nodes& unlike = otherwise.empty() ? unknown : otherwise;
    return as_before > 0 && unlike.size() * 2 <= crossed_.size() ? unlike : Nodes();
  }

  Order order_of(std::uint32_t node, const std::vector<Crossed>& crossed) const {
    Order order = Order::unknown;
    for (const auto& [holds, lacks] : crossed) {
      Order each = own_order(join_, node, *holds, *lacks);
      if (each == Order::unknown) each = order_of_others(join_, *holds, *lacks);
      if (each == Order::otherwise) return each;
      if (each == Order::as_before) order = each;
    }
    return order;
  }

  // Those who wait where the fewest do went another way than the rest.
  Nodes by_numbers() const {
    std::map<std::pair<std::uint32_t, std::int64_t>, Nodes> held;
    for (const Stall* stall : stalls_) {
      for (const std::uint32_t node : stall->pending) {
        if (waits_first(*stall, node) && crossed_.contains(node)) held[{stall->group, stall->seq}].push_back(node);
      }
    }
    std::size_t most = 0;
    for (const auto& [at, nodes] : held) most = std::max(most, nodes.size());
    Nodes fewest;
    for (const auto& [at, nodes] : held) {
      if (nodes.size() < most) unite(fewest, nodes);
    }
    return fewest;
  }

  const Join& join_;
  const std::vector<const Stall*>& stalls_;
  std::map<std::uint32_t, std::vector<Crossed>> crossed_;  // by rank
};

}  // namespace

OutOfOrder out_of_order(const Join& join, const Nodes& ranks, const std::vector<const Stall*>& stalls) {
  return Judge(join, ranks, stalls).find();
}

}  // namespace faultline::flight_recorder
