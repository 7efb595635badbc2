// Operations whose numbers are chosen to fall together are found as fast as any, whatever the process's key.
#include "flight_recorder/load/packed_ops.h"

#include <unordered_set>
#include <vector>

#include "test/check.h"

using namespace faultline::flight_recorder;

namespace {

constexpr std::size_t CHOSEN = 20'000;
// A number of buckets that unordered_map comes to with as many.
constexpr std::uint64_t BUCKETS = 25'523;
constexpr std::uint64_t FACTOR = 0x9e3779b97f4a7c15ULL;

// What goes into a step of the hash, without a key, that gives this.
std::uint64_t before(std::uint64_t hash) {
  std::uint64_t inverse = FACTOR;
  for (int i = 0; i < 6; ++i) inverse *= 2 - FACTOR * inverse;
  return (hash ^ (hash >> 29) ^ (hash >> 58)) * inverse;
}

// All fall into one bucket where the hash has no key.
std::vector<Op> chosen() {
  std::vector<Op> ops;
  for (std::uint64_t i = 1; ops.size() < CHOSEN; ++i) {
    Op op{};
    op.own = 0;
    op.done = true;
    const std::uint64_t flags = 4, unset = UINT32_MAX;
    op.seq = static_cast<std::int64_t>(before(before(before(BUCKETS * i * 7919) ^ flags) ^ unset) ^ 1);
    if (op.seq >= 0) ops.push_back(op);
  }
  return ops;
}

std::size_t buckets(const std::vector<Op>& ops, const HashKey& key) {
  std::unordered_set<std::uint64_t> used;
  for (const Op& op : ops) used.insert(hash_of(std::span(&op, 1), key) % BUCKETS);
  return used.size();
}

void spread() {
  const std::vector<Op> ops = chosen();
  // Of as many that fall by chance, 54 % of the buckets have one.
  for (const HashKey& key : {HashKey{1, 0x2545f4914f6cdd1dULL, 0xd6e8feb86659fd93ULL}, HashKey{7, 0xbf58476d1ce4e5b9ULL, 0x94d049bb133111ebULL}, HashKey::random()}) {
    CHECK(buckets(ops, key) > BUCKETS * 45 / 100);
    std::vector<std::uint32_t> order;
    for (const Op& op : ops) order.push_back(static_cast<std::uint32_t>(op.seq));
    CHECK(hash_of(std::span<const std::uint32_t>(order), key) != hash_of(std::span<const std::uint32_t>(order).first(CHOSEN - 1), key));
  }
}

void is_the_same_for_the_process() {
  const std::vector<Op> ops = chosen();
  Programs programs;
  CHECK(programs.steps(std::span(ops).first(64)) == programs.steps(std::span(ops).first(64)));
  CHECK(programs.steps(std::span(ops).first(64)) != programs.steps(std::span(ops).subspan(1, 64)));
  CHECK(HashKey::random().first != HashKey::random().second);
}

}  // namespace

int main() {
  checks::test("chosen numbers do not fall together", spread);
  checks::test("what is alike is kept once", is_the_same_for_the_process);
  return checks::result();
}
