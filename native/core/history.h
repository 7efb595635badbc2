// The last minutes of raw samples per series, in blocks taken on demand from one bounded budget. A block that is full is packed: most
// values are that of before, and most gaps are as long as the last one.
#pragma once

#include <cstddef>
#include <cstdint>
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
  // A series that is sampled seldom gets small blocks, so that it takes about as much as it keeps.
  static constexpr std::size_t kBlockSamples = 64;
  static constexpr std::size_t kSmallBlockSamples = 8;
  static constexpr std::size_t kDefaultBudgetBytes = 24u << 20;

  explicit History(std::int64_t keep_ns, std::size_t budget_bytes = kDefaultBudgetBytes);

  // When the budget is used up, the series that holds most gives its oldest block.
  void add(SeriesId series, Sample sample);
  // Samples with from_ns <= time <= to_ns that are younger than the kept span.
  std::vector<Sample> read(SeriesId series, std::int64_t from_ns, std::int64_t to_ns) const;
  // As if nothing was packed: what is kept does not depend on what the values are.
  std::size_t bytes_in_use() const { return in_use_; }
  // What the samples take.
  std::size_t bytes_packed() const { return packed_; }

 private:
  struct Block {
    std::unique_ptr<Sample[]> samples;        // until it is full
    std::unique_ptr<std::uint8_t[]> packed;   // from then on, where that is smaller
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
    std::uint32_t count = 0;
    std::uint32_t capacity = 0;
    std::uint32_t packed_bytes = 0;

    std::size_t bytes() const { return kBlockBytes + capacity * sizeof(Sample); }
  };
  struct Series {
    std::vector<Block> blocks;  // oldest first
    std::size_t bytes = 0;
  };

  // Of a block, by which the budget counts.
  static constexpr std::size_t kBlockBytes = 16;

  std::size_t next_capacity(const Series& series) const;
  void grow(Series& series);
  void pack(Block& block);
  void keep_spare(std::unique_ptr<Sample[]> samples);
  void drop_oldest(Series& series);
  void release_expired(Series& series, std::int64_t now_ns);

  std::int64_t keep_ns_;
  std::size_t budget_;
  std::size_t in_use_ = 0;
  std::size_t packed_ = 0;
  std::vector<std::unique_ptr<Sample[]>> spare_;  // of kBlockSamples
  std::vector<Series> series_;
};

}  // namespace faultline
