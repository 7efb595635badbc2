// Entries that differ from an earlier one only in their numbers and frames: how patterns are made and kept.
#include "flight_recorder/parse/entry_pattern.h"

namespace faultline::flight_recorder {

void Pattern::hole(Hole hole, const unsigned char* from, const unsigned char* to) {
  const std::uint32_t bit = 1u << static_cast<unsigned>(hole);
  const auto at = static_cast<std::uint32_t>(from - start_);
  if (count_ == MAX_HOLES || (seen_ & bit) != 0) return refuse();
  seen_ |= bit;
  parts_[count_++] = {end_, at - end_, hole};
  end_ = static_cast<std::uint32_t>(to - start_);
}

void Pattern::constant(Hole hole) {
  const std::uint32_t bit = 1u << static_cast<unsigned>(hole);
  if ((seen_ & bit) != 0) refuse();
  seen_ |= bit;
}

bool Pattern::finish(const unsigned char* end, const Row& row) {
  tail_ = static_cast<std::uint32_t>(end - start_) - end_;
  length_ = tail_;
  std::uint64_t hash = tail_;
  const auto mix = [&](const unsigned char* at, std::size_t length) {
    for (; length > 0; at += std::min<std::size_t>(length, 8), length -= std::min<std::size_t>(length, 8)) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, std::min<std::size_t>(length, 8));
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 32;
    }
  };
  for (std::uint32_t i = 0; i < count_; ++i) {
    mix(start_ + parts_[i].at, parts_[i].length);
    hash ^= static_cast<std::uint64_t>(parts_[i].hole) << 8;
    length_ += parts_[i].length;
  }
  mix(start_ + end_, tail_);
  hash_ = static_cast<std::uint32_t>(hash ^ hash >> 32);
  row_ = row;
  return usable_;
}

bool Pattern::same(const Pattern& other) const {
  if (hash_ != other.hash_ || count_ != other.count_ || tail_ != other.tail_) return false;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Part& a = parts_[i];
    const Part& b = other.parts_[i];
    if (a.length != b.length || a.hole != b.hole || std::memcmp(start_ + a.at, other.start_ + b.at, a.length) != 0) return false;
  }
  return std::memcmp(start_ + end_, other.start_ + other.end_, tail_) == 0;
}

void Patterns::clear() {
  patterns_.clear();
  next_.clear();
  slots_ = {};
  last_ = NONE;
  sizes_change_ = false;
}

void Patterns::note(const Pattern& pattern) {
  if (!pattern.usable()) {
    last_ = NONE;
    return;
  }
  std::size_t slot = pattern.hash() % slots_.size();
  while (slots_[slot] != 0 && !patterns_[slots_[slot] - 1].same(pattern)) slot = (slot + 1) % slots_.size();
  if (slots_[slot] == 0) {
    if (patterns_.size() == MAX) {
      if (!sizes_change_) {
        clear();
        sizes_change_ = true;
      }
      last_ = NONE;
      return;
    }
    patterns_.push_back(pattern);
    next_.push_back({NONE, NONE});
    slots_[slot] = static_cast<std::uint32_t>(patterns_.size());
  }
  const std::uint32_t number = slots_[slot] - 1;
  if (last_ != NONE && next_[last_][0] != number) next_[last_] = {number, next_[last_][0]};
  last_ = number;
}

}  // namespace faultline::flight_recorder
