// The last minutes of raw samples per series, in blocks taken on demand from one bounded budget.
#include "core/history.h"

#include <algorithm>
#include <limits>
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

}  // namespace

History::History(std::int64_t keep_ns, std::size_t budget_bytes)
    : keep_ns_(keep_ns), budget_(std::max(budget_bytes, sizeof(Block) + kBlockSamples * sizeof(Sample))) {}

// Large when a whole large block fits into the kept span at the pace of the last block.
std::size_t History::next_capacity(const Series& series) const {
  if (series.blocks.empty()) return kSmallBlockSamples;
  const Block& last = series.blocks.back();
  const std::int64_t span_ns = minus(last.last().time_ns, last.first().time_ns);
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
  series.bytes += block.bytes();
  series.blocks.push_back(std::move(block));
}

void History::drop_oldest(Series& series) {
  Block& oldest = series.blocks.front();
  in_use_ -= oldest.bytes();
  series.bytes -= oldest.bytes();
  if (oldest.capacity == kBlockSamples && spare_.size() < kMaxSpareBlocks) spare_.push_back(std::move(oldest.samples));
  series.blocks.erase(series.blocks.begin());
}

void History::release_expired(Series& series, std::int64_t now_ns) {
  // The last one stays: its pace says how large the next one is to be.
  while (series.blocks.size() > 1 && series.blocks.front().last().time_ns < minus(now_ns, keep_ns_)) drop_oldest(series);
}

void History::add(SeriesId id, Sample sample) {
  if (keep_ns_ <= 0) return;
  if (id >= series_.size()) series_.resize(id + 1);
  Series& series = series_[id];
  if (series.blocks.empty() || series.blocks.back().count == series.blocks.back().capacity) {
    release_expired(series, sample.time_ns);
    grow(series);
  }
  Block& block = series.blocks.back();
  block.samples[block.count++] = sample;
}

std::vector<Sample> History::read(SeriesId id, std::int64_t from_ns, std::int64_t to_ns) const {
  std::vector<Sample> found;
  if (id >= series_.size() || series_[id].blocks.empty()) return found;
  const std::vector<Block>& blocks = series_[id].blocks;
  const std::int64_t oldest_kept = minus(blocks.back().last().time_ns, keep_ns_);
  for (const Block& block : blocks) {
    if (block.last().time_ns < from_ns || block.first().time_ns > to_ns) continue;
    for (std::uint32_t i = 0; i < block.count; ++i) {
      const Sample& sample = block.samples[i];
      if (sample.time_ns >= from_ns && sample.time_ns <= to_ns && sample.time_ns >= oldest_kept) found.push_back(sample);
    }
  }
  return found;
}

}  // namespace faultline
