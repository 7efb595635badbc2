// The operations of one rank as they are kept: what a program does on every rank is there once for all ranks, and of their times
// no more bytes than these differ by.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "flight_recorder/load/op.h"

namespace faultline::flight_recorder {

// What a hash depends on besides what it is of. That is tenants': whoever could choose what falls together would make each look
// through all that is kept.
struct HashKey {
  std::uint64_t start, first, second;

  // One for the process, by the kernel's random numbers.
  static const HashKey& random();
};
std::uint64_t hash_of(std::span<const Op> steps, const HashKey& key);
std::uint64_t hash_of(std::span<const std::uint32_t> order, const HashKey& key);

// What several ranks have alike. A copy of it shares what it holds.
class Programs {
 public:
  // Operations without their times.
  std::shared_ptr<const Op[]> steps(std::span<const Op> steps);
  std::shared_ptr<const std::uint32_t[]> order(std::span<const std::uint32_t> order);

 private:
  template <typename Each>
  struct Kept {
    std::shared_ptr<const Each[]> values;
    std::size_t size;
  };
  // One of each hash: what meets another one there is kept for its rank alone.
  template <typename Each>
  using Known = std::unordered_map<std::uint64_t, Kept<Each>>;
  template <typename Each>
  static std::shared_ptr<const Each[]> shared(Known<Each>& known, std::uint64_t hash, std::span<const Each> values);

  Known<Op> steps_;
  Known<std::uint32_t> orders_;
};

class PackedOps {
 public:
  // `number`: of the first operation in its rank's program. Ranks share what they did under the same numbers.
  void pack(std::span<const Op> ops, std::size_t number, Programs& programs);

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  Op operator[](std::size_t at) const {
    const Block& block = of(at);
    const std::size_t in = at - block.first;
    const unsigned char* const times = times_.data() + block.times + in * (block.created_bytes + block.ended_bytes);
    Op op = block.steps[in];
    op.created_ns = static_cast<std::int64_t>(static_cast<std::uint64_t>(block.created_ns) + number(times, block.created_bytes));
    if (!op.p2p) {
      const auto later = static_cast<std::uint32_t>(number(times + block.created_bytes, block.ended_bytes));
      op.own = static_cast<std::int32_t>(static_cast<std::uint32_t>(block.ended_us) + later);
    }
    return op;
  }
  Op back() const { return (*this)[size_ - 1]; }
  // The operation without its times, for less.
  const Op& step(std::size_t at) const {
    const Block& block = of(at);
    return block.steps[at - block.first];
  }
  // Its place, UINT32_MAX where all ended.
  std::uint32_t first_open() const { return first_open_; }

 private:
  static constexpr std::size_t BLOCK = 64;
  struct Block {
    std::shared_ptr<const Op[]> steps;
    std::int64_t created_ns = 0;  // the earliest, and of ends the soonest
    std::int32_t ended_us = 0;
    std::uint32_t first = 0;      // operation
    std::uint32_t times = 0;      // where they begin, of each operation created, then ended
    std::uint8_t created_bytes = 0, ended_bytes = 0;
  };

  const Block& of(std::size_t at) const { return blocks_[(at + phase_) / BLOCK]; }
  // Both architectures are little-endian.
  static std::uint64_t number(const unsigned char* at, unsigned bytes) {
    if (bytes == 0) return 0;
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value & (UINT64_MAX >> (64 - 8 * bytes));
  }
  static Block measured(std::span<const Op> ops);

  std::vector<Block> blocks_;
  std::vector<unsigned char> times_;
  std::size_t size_ = 0, phase_ = 0;
  std::uint32_t first_open_ = UINT32_MAX;
};

// What an operation takes at most once it is packed: itself, its times, its part of a block and of what finds that.
inline constexpr std::size_t PACKED_BYTES = sizeof(Op) + sizeof(std::int64_t) + sizeof(std::int32_t) + 3;

}  // namespace faultline::flight_recorder
