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
  if (count_ == 0) refuse();
  tail_ = static_cast<std::uint32_t>(end - start_) - end_;
  length_ = tail_;
  keyed_ = 0;
  sized_ = true;
  std::uint64_t hash = tail_;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Hole hole = parts_[i].hole;
    hash = mix(hash, start_ + parts_[i].at, parts_[i].length) ^ static_cast<std::uint64_t>(hole) << 8;
    length_ += parts_[i].length;
    if (hole == Hole::created) keyed_ = i + 1;
    else if (hole == Hole::input_sizes || hole == Hole::output_sizes) sized_ = false;
  }
  for (std::uint32_t i = 0; i < keyed_; ++i) {
    if (parts_[i].hole > Hole::created && parts_[i].hole != Hole::frames) keyed_ = 0;
  }
  hash = mix(hash, start_ + end_, tail_);
  hash_ = static_cast<std::uint32_t>(hash ^ hash >> 32);
  row_ = row;
  return usable_;
}

bool Pattern::laid_out_as(const Pattern& other) const {
  if (keyed_ != other.keyed_ || sized_ != other.sized_) return false;
  const auto alike = [](const Part& a, const Part& b) { return a.length == b.length && a.hole == b.hole; };
  return std::equal(parts_.begin(), parts_.begin() + keyed_, other.parts_.begin(), alike);
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
  if (!patterns_.empty()) {
    slots_ = {};
    by_key_ = {};
  }
  patterns_.clear();
  links_.clear();
  layouts_.clear();
  last_ = NONE;
  misses_ = 0;
  sizes_change_ = false;
}

std::uint32_t Patterns::number_of(const Pattern& pattern) {
  std::size_t slot = pattern.hash() % SLOTS;
  while (slots_[slot] != 0 && !patterns_[slots_[slot] - 1].same(pattern)) slot = (slot + 1) % SLOTS;
  if (slots_[slot] != 0) return slots_[slot] - 1;
  if (patterns_.size() == MAX) {
    if (!sizes_change_) {
      clear();
      sizes_change_ = true;
    }
    return NONE;
  }
  patterns_.push_back(pattern);
  links_.push_back({});
  slots_[slot] = static_cast<std::uint32_t>(patterns_.size());
  return slots_[slot] - 1;
}

void Patterns::file(std::uint32_t number, std::uint32_t key) {
  links_[number].key = key;
  std::uint32_t& first = by_key_[key % SLOTS];
  links_[number].alike = first - 1;
  first = number + 1;
  const auto known = [&](std::uint32_t layout) { return patterns_[layout].laid_out_as(patterns_[number]); };
  if (layouts_.size() < MAX_LAYOUTS && std::none_of(layouts_.begin(), layouts_.end(), known)) layouts_.push_back(number);
}

}  // namespace faultline::flight_recorder
