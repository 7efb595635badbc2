// The last minutes of raw samples per series, in small blocks taken on demand from one bounded budget.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/sink.h"

namespace faultline {

struct Sample {
  std::int64_t time_ns;
  double value;
};

// Not thread-safe. Samples of one series come in ascending time.
class History {
 public:
  static constexpr std::size_t kBlockSamples = 64;
  static constexpr std::size_t kDefaultBudgetBytes = 24u << 20;

  explicit History(std::int64_t keep_ns, std::size_t budget_bytes = kDefaultBudgetBytes);

  // When the budget is used up, the series that holds most gives its oldest block.
  void add(SeriesId series, Sample sample);
  // Samples with from_ns <= time <= to_ns that are younger than the kept span.
  std::vector<Sample> read(SeriesId series, std::int64_t from_ns, std::int64_t to_ns) const;
  std::size_t blocks_in_use() const { return in_use_; }

 private:
  struct Block {
    std::size_t count = 0;
    std::array<Sample, kBlockSamples> samples;
  };
  using BlockPtr = std::unique_ptr<Block>;

  BlockPtr take();
  void release_expired(std::deque<BlockPtr>& blocks, std::int64_t now_ns);

  std::int64_t keep_ns_;
  std::size_t max_blocks_;
  std::size_t in_use_ = 0;
  std::vector<BlockPtr> spare_;
  std::vector<std::deque<BlockPtr>> series_;
};

}  // namespace faultline
