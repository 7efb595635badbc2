// The last minutes of raw samples per series, in small blocks taken on demand from one bounded budget.
#include "core/history.h"

#include <algorithm>

namespace faultline {
namespace {

constexpr std::size_t kMaxSpareBlocks = 64;

}  // namespace

History::History(std::int64_t keep_ns, std::size_t budget_bytes)
    : keep_ns_(keep_ns), max_blocks_(std::max<std::size_t>(1, budget_bytes / sizeof(Block))) {}

History::BlockPtr History::take() {
  if (in_use_ >= max_blocks_) {
    const auto richest = std::max_element(series_.begin(), series_.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    BlockPtr block = std::move(richest->front());
    richest->pop_front();
    block->count = 0;
    return block;
  }
  ++in_use_;
  if (spare_.empty()) return std::make_unique<Block>();
  BlockPtr block = std::move(spare_.back());
  spare_.pop_back();
  block->count = 0;
  return block;
}

void History::release_expired(std::deque<BlockPtr>& blocks, std::int64_t now_ns) {
  while (!blocks.empty() && blocks.front()->samples[blocks.front()->count - 1].time_ns < now_ns - keep_ns_) {
    if (spare_.size() < kMaxSpareBlocks) spare_.push_back(std::move(blocks.front()));
    blocks.pop_front();
    --in_use_;
  }
}

void History::add(SeriesId series, Sample sample) {
  if (keep_ns_ <= 0) return;
  if (series >= series_.size()) series_.resize(series + 1);
  if (series_[series].empty() || series_[series].back()->count == kBlockSamples) {
    release_expired(series_[series], sample.time_ns);
    BlockPtr block = take();
    series_[series].push_back(std::move(block));
  }
  Block& block = *series_[series].back();
  block.samples[block.count++] = sample;
}

std::vector<Sample> History::read(SeriesId series, std::int64_t from_ns, std::int64_t to_ns) const {
  std::vector<Sample> found;
  if (series >= series_.size() || series_[series].empty()) return found;
  const auto& blocks = series_[series];
  const Block& newest = *blocks.back();
  const std::int64_t oldest_kept = newest.samples[newest.count - 1].time_ns - keep_ns_;
  for (const BlockPtr& block : blocks) {
    if (block->samples[block->count - 1].time_ns < from_ns || block->samples[0].time_ns > to_ns) continue;
    for (std::size_t i = 0; i < block->count; ++i) {
      const Sample& sample = block->samples[i];
      if (sample.time_ns >= from_ns && sample.time_ns <= to_ns && sample.time_ns >= oldest_kept) found.push_back(sample);
    }
  }
  return found;
}

}  // namespace faultline
