// The last minutes of raw samples per series, in blocks taken on demand from one bounded budget.
#include "core/history.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

namespace faultline {
namespace {

constexpr std::size_t kMaxSpareBlocks = 64;

// Times come from outside: their difference stays at the ends of the range instead of leaving it.
std::int64_t minus(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (!__builtin_sub_overflow(a, b, &result)) return result;
  return a < b ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

// A packed sample: how the gap to the one before differs from the gap before that, and the bytes of the value that differ from those of
// the value before. Of most samples that is one byte to five.
constexpr int kBitsAByte = 7;
constexpr std::uint8_t kMore = 0x80;
constexpr std::size_t kMostGapBytes = 10;
constexpr std::size_t kMostSampleBytes = kMostGapBytes + 1 + sizeof(double);
constexpr int kValueBytes = sizeof(double);

struct Packer {
  std::array<std::uint8_t, History::kBlockSamples * kMostSampleBytes> bytes;
  std::size_t used = 0;

  void number(std::uint64_t value) {
    for (; value >= kMore; value >>= kBitsAByte) bytes[used++] = static_cast<std::uint8_t>(value | kMore);
    bytes[used++] = static_cast<std::uint8_t>(value);
  }
  // How many of its bytes are zero at its upper and its lower end, and those between.
  void difference(std::uint64_t bits) {
    const int above = std::countl_zero(bits) / 8;
    const int below = bits == 0 ? 0 : std::countr_zero(bits) / 8;
    bytes[used++] = static_cast<std::uint8_t>(above << 4 | below);
    for (int at = below; at < kValueBytes - above; ++at) bytes[used++] = static_cast<std::uint8_t>(bits >> (8 * at));
  }
};

struct Unpacker {
  const std::uint8_t* next;

  std::uint64_t number() {
    std::uint64_t value = 0;
    int shift = 0;
    for (; *next >= kMore; shift += kBitsAByte) value |= static_cast<std::uint64_t>(*next++ & ~kMore) << shift;
    return value | static_cast<std::uint64_t>(*next++) << shift;
  }
  std::uint64_t difference() {
    const int above = *next >> 4;
    const int below = *next++ & 0xf;
    std::uint64_t bits = 0;
    for (int at = below; at < kValueBytes - above; ++at) bits |= static_cast<std::uint64_t>(*next++) << (8 * at);
    return bits;
  }
};

// Differences of either sign as small numbers. Whatever the times are, both ways wrap around alike.
std::uint64_t folded(std::uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
std::uint64_t unfolded(std::uint64_t number) { return number >> 1 ^ (0 - (number & 1)); }

}  // namespace

History::History(std::int64_t keep_ns, std::size_t budget_bytes)
    : keep_ns_(keep_ns), budget_(std::max(budget_bytes, kBlockBytes + kBlockSamples * sizeof(Sample))) {}

// Large when a whole large block fits into the kept span at the pace of the last block.
std::size_t History::next_capacity(const Series& series) const {
  if (series.blocks.empty()) return kSmallBlockSamples;
  const Block& last = series.blocks.back();
  const std::int64_t span_ns = minus(last.last_ns, last.first_ns);
  const auto paces = static_cast<std::int64_t>(std::max<std::uint32_t>(last.count, 2) - 1);
  return span_ns / paces <= keep_ns_ / static_cast<std::int64_t>(kBlockSamples) ? kBlockSamples : kSmallBlockSamples;
}

void History::grow(Series& series) {
  Block block;
  block.capacity = static_cast<std::uint32_t>(next_capacity(series));
  while (in_use_ + block.bytes() > budget_) {
    const auto richest =
        std::max_element(series_.begin(), series_.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    if (richest->blocks.empty()) break;
    drop_oldest(*richest);
  }
  if (block.capacity == kBlockSamples && !spare_.empty()) {
    block.samples = std::move(spare_.back());
    spare_.pop_back();
  } else {
    block.samples = std::make_unique_for_overwrite<Sample[]>(block.capacity);
  }
  in_use_ += block.bytes();
  packed_ += block.capacity * sizeof(Sample);
  series.bytes += block.bytes();
  series.blocks.push_back(std::move(block));
}

void History::keep_spare(std::unique_ptr<Sample[]> samples) {
  if (samples != nullptr && spare_.size() < kMaxSpareBlocks) spare_.push_back(std::move(samples));
}

void History::pack(Block& block) {
  Packer packer;
  std::uint64_t gap = 0;
  Sample before{block.first_ns, 0};
  for (const Sample& sample : std::span(block.samples.get(), block.count)) {
    const auto own_gap = static_cast<std::uint64_t>(sample.time_ns) - static_cast<std::uint64_t>(before.time_ns);
    packer.number(folded(own_gap - gap));
    packer.difference(std::bit_cast<std::uint64_t>(sample.value) ^ std::bit_cast<std::uint64_t>(before.value));
    gap = own_gap;
    before = sample;
  }
  if (packer.used >= block.capacity * sizeof(Sample)) return;
  block.packed = std::make_unique_for_overwrite<std::uint8_t[]>(packer.used);
  std::memcpy(block.packed.get(), packer.bytes.data(), packer.used);
  block.packed_bytes = static_cast<std::uint32_t>(packer.used);
  packed_ -= block.capacity * sizeof(Sample) - packer.used;
  if (block.capacity == kBlockSamples) keep_spare(std::move(block.samples));
  block.samples.reset();
}

void History::drop_oldest(Series& series) {
  Block& oldest = series.blocks.front();
  in_use_ -= oldest.bytes();
  series.bytes -= oldest.bytes();
  packed_ -= oldest.packed == nullptr ? oldest.capacity * sizeof(Sample) : oldest.packed_bytes;
  if (oldest.capacity == kBlockSamples) keep_spare(std::move(oldest.samples));
  series.blocks.erase(series.blocks.begin());
}

void History::release_expired(Series& series, std::int64_t now_ns) {
  // The last one stays: its pace says how large the next one is to be.
  while (series.blocks.size() > 1 && series.blocks.front().last_ns < minus(now_ns, keep_ns_)) drop_oldest(series);
}

void History::add(SeriesId id, Sample sample) {
  if (keep_ns_ <= 0) return;
  if (id >= series_.size()) series_.resize(id + 1);
  Series& series = series_[id];
  if (series.blocks.empty() || series.blocks.back().count == series.blocks.back().capacity) {
    if (!series.blocks.empty()) pack(series.blocks.back());
    release_expired(series, sample.time_ns);
    grow(series);
  }
  Block& block = series.blocks.back();
  if (block.count == 0) block.first_ns = sample.time_ns;
  block.last_ns = sample.time_ns;
  block.samples[block.count++] = sample;
}

std::vector<Sample> History::read(SeriesId id, std::int64_t from_ns, std::int64_t to_ns) const {
  std::vector<Sample> found;
  if (id >= series_.size() || series_[id].blocks.empty()) return found;
  const std::vector<Block>& blocks = series_[id].blocks;
  const std::int64_t oldest_kept = minus(blocks.back().last_ns, keep_ns_);
  const auto take = [&](const Sample& sample) {
    if (sample.time_ns >= from_ns && sample.time_ns <= to_ns && sample.time_ns >= oldest_kept) found.push_back(sample);
  };
  for (const Block& block : blocks) {
    if (block.last_ns < from_ns || block.first_ns > to_ns) continue;
    if (block.packed == nullptr) {
      std::for_each_n(block.samples.get(), block.count, take);
      continue;
    }
    Unpacker unpacker{block.packed.get()};
    auto time = static_cast<std::uint64_t>(block.first_ns);
    std::uint64_t gap = 0;
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < block.count; ++i) {
      gap += unfolded(unpacker.number());
      time += gap;
      value ^= unpacker.difference();
      take({static_cast<std::int64_t>(time), std::bit_cast<double>(value)});
    }
  }
  return found;
}

}  // namespace faultline
