// Packs the operations of a rank, in blocks that ranks with the same program share.
#include "flight_recorder/load/packed_ops.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>

namespace faultline::flight_recorder {
namespace {

// Two words a step, by factors that no sender knows: both halves of the product count.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t one, std::uint64_t other, const HashKey& key) {
  const unsigned __int128 product = static_cast<unsigned __int128>(hash ^ one ^ key.first) * (other ^ key.second);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

unsigned bytes_of(std::uint64_t number) { return (static_cast<unsigned>(std::bit_width(number)) + 7) / 8; }

Op without_times(Op op) {
  op.created_ns = 0;
  if (!op.p2p) op.own = 0;
  return op;
}

}  // namespace

template <typename Each>
std::shared_ptr<const Each[]> Programs::shared(Known<Each>& known, std::uint64_t hash, std::span<const Each> values) {
  const auto at = known.find(hash);
  if (at != known.end() && std::equal(values.begin(), values.end(), at->second.values.get(), at->second.values.get() + at->second.size)) {
    return at->second.values;
  }
  auto made = std::make_shared<Each[]>(values.size());
  std::copy(values.begin(), values.end(), made.get());
  if (at == known.end()) known.emplace(hash, Kept<Each>{made, values.size()});
  return made;
}

const HashKey& HashKey::random() {
  static const HashKey key = [] {
    HashKey made{};
    // So few bytes come whole; the reader's filter lets this through.
    while (::getrandom(&made, sizeof made, 0) != sizeof made) {
    }
    return made;
  }();
  return key;
}

std::uint64_t hash_of(std::span<const Op> steps, const HashKey& key) {
  std::uint64_t hash = mixed(key.start, steps.size(), 0, key);
  for (const Op& op : steps) {
    const unsigned flags = (op.p2p ? 1U : 0U) | (op.sends ? 2U : 0U) | (op.done ? 4U : 0U) | (op.started ? 8U : 0U) |
                           (op.timed_out ? 16U : 0U) | (op.ended_by_abort ? 32U : 0U);
    hash = mixed(hash, static_cast<std::uint64_t>(op.seq), (std::uint64_t{op.signature} << 32) | static_cast<std::uint32_t>(op.peer), key);
    hash = mixed(hash, (std::uint64_t{static_cast<std::uint32_t>(op.own)} << 32) | (std::uint64_t{op.group} << 8) | flags, 0, key);
  }
  return hash;
}

std::uint64_t hash_of(std::span<const std::uint32_t> order, const HashKey& key) {
  std::uint64_t hash = mixed(key.start, order.size(), 0, key);
  std::size_t at = 0;
  for (; at + 4 <= order.size(); at += 4) {
    hash = mixed(hash, (std::uint64_t{order[at]} << 32) | order[at + 1], (std::uint64_t{order[at + 2]} << 32) | order[at + 3], key);
  }
  for (; at < order.size(); ++at) hash = mixed(hash, order[at], 0, key);
  return hash;
}

std::shared_ptr<const Op[]> Programs::steps(std::span<const Op> steps) {
  return shared(steps_, hash_of(steps, HashKey::random()), steps);
}

std::shared_ptr<const std::uint32_t[]> Programs::order(std::span<const std::uint32_t> order) {
  return shared(orders_, hash_of(order, HashKey::random()), order);
}

// A block for these operations, without them and without its place.
PackedOps::Block PackedOps::measured(std::span<const Op> ops) {
  Block block;
  std::int64_t last_ns = block.created_ns = ops[0].created_ns;
  std::int32_t latest_us = INT32_MIN;
  block.ended_us = INT32_MAX;
  for (const Op& op : ops) {
    block.created_ns = std::min(block.created_ns, op.created_ns);
    last_ns = std::max(last_ns, op.created_ns);
    if (op.p2p) continue;
    block.ended_us = std::min(block.ended_us, op.own);
    latest_us = std::max(latest_us, op.own);
  }
  // All are point-to-point, which have no ends of their own.
  if (latest_us < block.ended_us) latest_us = block.ended_us = 0;
  block.created_bytes = static_cast<std::uint8_t>(bytes_of(static_cast<std::uint64_t>(last_ns) - static_cast<std::uint64_t>(block.created_ns)));
  block.ended_bytes = static_cast<std::uint8_t>(bytes_of(static_cast<std::uint32_t>(latest_us) - static_cast<std::uint32_t>(block.ended_us)));
  return block;
}

void PackedOps::pack(std::span<const Op> ops, std::size_t number, Programs& programs) {
  size_ = ops.size();
  phase_ = number % BLOCK;
  blocks_.clear();
  blocks_.reserve((size_ + phase_ + BLOCK - 1) / BLOCK);
  std::size_t bytes = 0;
  std::vector<Op> steps;
  steps.reserve(BLOCK);
  for (std::size_t from = 0, to = 0; from < size_; from = to) {
    to = std::min(size_, from + BLOCK - (from + phase_) % BLOCK);
    const auto here = ops.subspan(from, to - from);
    Block block = measured(here);
    block.first = static_cast<std::uint32_t>(from);
    block.times = static_cast<std::uint32_t>(bytes);
    bytes += here.size() * (block.created_bytes + block.ended_bytes);
    steps.clear();
    for (const Op& op : here) steps.push_back(without_times(op));
    block.steps = programs.steps(steps);
    blocks_.push_back(std::move(block));
  }
  // A number is read as eight bytes, whatever it takes.
  times_.assign(bytes == 0 ? 0 : bytes + sizeof(std::uint64_t), 0);
  unsigned char* at = times_.data();
  first_open_ = UINT32_MAX;
  for (std::size_t i = 0; i < size_; ++i) {
    const Op& op = ops[i];
    const Block& block = of(i);
    const auto created = static_cast<std::uint64_t>(op.created_ns) - static_cast<std::uint64_t>(block.created_ns);
    const std::uint64_t ended = op.p2p ? 0 : static_cast<std::uint32_t>(op.own) - static_cast<std::uint32_t>(block.ended_us);
    if (block.created_bytes > 0) std::memcpy(at, &created, block.created_bytes);
    at += block.created_bytes;
    if (block.ended_bytes > 0) std::memcpy(at, &ended, block.ended_bytes);
    at += block.ended_bytes;
    if (!op.done && first_open_ == UINT32_MAX) first_open_ = static_cast<std::uint32_t>(i);
  }
}

}  // namespace faultline::flight_recorder
