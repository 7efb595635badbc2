// Entries that differ from an earlier one only in their numbers and frames: taken by comparing bytes, without looking at opcodes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "flight_recorder/parse/dump.h"

namespace faultline::flight_recorder {

// What is between the constant parts of an entry.
enum class Hole : std::uint8_t { record_id, collective_seq, p2p_seq, op_id, created, started, completed, real, frames, input_sizes, output_sizes, count };

// One entry as it was read the usual way: from MARK to SETITEMS, constant but for the holes.
class Pattern {
 public:
  static constexpr std::size_t MAX_HOLES = 12;
  struct Part {
    std::uint32_t at, length;  // of the constant bytes before the hole
    Hole hole;
  };

  void clear(const unsigned char* start) { start_ = start, count_ = 0, seen_ = 0, end_ = 0, usable_ = true; }
  // Where a hole is in the entry; an entry that has one twice makes no pattern.
  void hole(Hole hole, const unsigned char* from, const unsigned char* to);
  // A field that could have been a hole and was none.
  void constant(Hole hole);
  void refuse() { usable_ = false; }
  bool finish(const unsigned char* end, const Row& row);
  bool usable() const { return usable_; }

  // The entry at `at` if it is of this pattern: fills `row` and advances `at`. `lists(hole, at, number)` takes a list. `row` holds
  // anything where the answer is false.
  template <typename Lists>
  bool match(const unsigned char*& at, const unsigned char* end, Row& row, Lists&& lists) const;

  // What an entry that is laid out like this one has up to its time, in one number: the same for entries of one pattern. False
  // where the bytes at `at` cannot be laid out so.
  template <typename Lists>
  bool key(const unsigned char* at, const unsigned char* end, Lists&& lists, std::uint32_t& key) const;
  bool has_key() const { return keyed_ > 0; }

  // Calls `each(hole, from, to)` for the holes of the entry at `at`, which is of this pattern, until one answers false.
  template <typename Lists, typename Each>
  bool each_hole(const unsigned char* at, Lists&& lists, Each each) const;
  bool laid_out_as(const Pattern& other) const;

  // An integer in one of the four forms of recorders, None as 0 where `none`; false for anything else. Ten bytes can be read at `at`.
  static bool number(const unsigned char*& at, std::int64_t& value, bool none);

  bool same(const Pattern& other) const;
  std::uint32_t hash() const { return hash_; }

 private:
  // Eight bytes more can be read behind both.
  static bool equal(const unsigned char* a, const unsigned char* b, std::size_t length);
  static std::uint64_t mix(std::uint64_t hash, const unsigned char* at, std::size_t length);

  const unsigned char* start_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t seen_ = 0;
  std::uint32_t end_ = 0;  // where the last hole ends
  std::uint32_t tail_ = 0;
  std::uint32_t length_ = 0;  // of the constant parts together
  std::uint32_t hash_ = 0;
  std::uint32_t keyed_ = 0;  // parts that the key is made of, the last before the time; 0: there is none
  bool sized_ = true;        // sizes are constant
  bool usable_ = false;
  std::array<Part, MAX_HOLES> parts_{};
  Row row_;
};

// The patterns of one dump. Training steps come round, so what followed last time is tried first; where that fails, the pattern is
// found by its key.
class Patterns {
 public:
  static constexpr std::size_t MAX = 256;
  static constexpr std::uint32_t NONE = UINT32_MAX;

  void clear();
  // As Pattern::match, of any pattern that was noted.
  template <typename Lists>
  bool match(const unsigned char*& at, const unsigned char* end, Row& row, Lists&& lists);
  // Notes an entry that was read the usual way, with its pattern where it makes one.
  template <typename Lists>
  void note(const Pattern& pattern, const unsigned char* at, const unsigned char* end, Lists&& lists);
  // That the last match was of.
  const Pattern& matched() const { return patterns_[last_]; }
  // MAX are told apart. With more, sizes become holes, and what was told apart by them is forgotten.
  bool sizes_change() const { return sizes_change_; }

 private:
  static constexpr std::size_t SLOTS = MAX * 4;
  static constexpr std::size_t MAX_LAYOUTS = 4;
  static constexpr unsigned MAX_ALIKE = 4;        // of one key that are tried: states differ behind it
  static constexpr std::uint32_t MANY_MISSES = 64;  // more, and what followed before is not tried first
  struct Link {
    std::array<std::uint32_t, 2> next{NONE, NONE};  // patterns that followed, the last first
    std::uint32_t alike = NONE;  // the next of the same slot of keys
    std::uint32_t key = 0;
  };
  // The number of the pattern that is the same, or that was added; NONE where there are too many.
  std::uint32_t number_of(const Pattern& pattern);
  void file(std::uint32_t number, std::uint32_t key);
  void follow(std::uint32_t number) {
    if (last_ != NONE && links_[last_].next[0] != number) links_[last_].next = {number, links_[last_].next[0]};
    last_ = number;
  }

  bool sizes_change_ = false;
  std::uint32_t misses_ = 0;  // of what followed before: two a miss, less one a hit
  std::vector<Pattern> patterns_;
  std::vector<Link> links_;
  std::vector<std::uint32_t> layouts_;            // a pattern of each layout, that which was met last first
  std::array<std::uint32_t, SLOTS> slots_{};      // by hash; number and one
  std::array<std::uint32_t, SLOTS> by_key_{};     // the first of a list; number and one
  std::uint32_t last_ = NONE;
};

[[gnu::always_inline]] inline bool Pattern::equal(const unsigned char* a, const unsigned char* b, std::size_t length) {
  const auto word = [](const unsigned char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, 8);
    return value;
  };
  std::uint64_t differ = 0;
  while (length >= 8) differ |= word(a) ^ word(b), a += 8, b += 8, length -= 8;
  if (length > 0) {
    const std::uint64_t rest = word(a) ^ word(b);
    differ |= std::endian::native == std::endian::little ? rest << (64 - 8 * length) : rest >> (64 - 8 * length);
  }
  return differ == 0;
}

[[gnu::always_inline]] inline bool Pattern::number(const unsigned char*& at, std::int64_t& value, bool none) {
  const unsigned char* byte = at;
  switch (*byte) {
    case 'K': return value = byte[1], at += 2, true;
    case 'M': return value = byte[1] | byte[2] << 8, at += 3, true;
    case 'J':
      value = static_cast<std::int32_t>(byte[1] | byte[2] << 8 | byte[3] << 16 | std::uint32_t{byte[4]} << 24);
      return at += 5, true;
    case 0x8a: {
      if (byte[1] != 8) return false;
      std::uint64_t bits = 0;
      for (int i = 0; i < 8; ++i) bits |= std::uint64_t{byte[2 + i]} << (8 * i);
      value = static_cast<std::int64_t>(bits);
      at += 10;
      return value <= (INT64_MAX >> 1) && value >= (INT64_MIN >> 1);
    }
    case 'N': return value = 0, ++at, none;
    default: return false;
  }
}

[[gnu::always_inline]] inline std::uint64_t Pattern::mix(std::uint64_t hash, const unsigned char* at, std::size_t length) {
  const auto add = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  };
  std::uint64_t word = 0;
  for (; length >= 8; at += 8, length -= 8) std::memcpy(&word, at, 8), add(word);
  if (length == 0) return hash;
  word = 0;
  std::memcpy(&word, at, length);
  add(word);
  return hash;
}

template <typename Lists>
[[gnu::always_inline]] inline bool Pattern::match(const unsigned char*& at, const unsigned char* end, Row& row,
                                                  Lists&& lists) const {
  const unsigned char* here = at;
  const std::size_t room = length_ + count_ * 10 + 8;
  if (static_cast<std::size_t>(end - here) < room || !equal(here, start_ + parts_[0].at, parts_[0].length)) return false;
  here += parts_[0].length;
  row = row_;
  std::int64_t value = 0;
  for (std::uint32_t i = 0;;) {
    const Hole hole = parts_[i].hole;
    switch (hole) {
      case Hole::frames:
      case Hole::input_sizes:
      case Hole::output_sizes: {
        std::uint32_t& list = hole == Hole::frames ? row.frames : hole == Hole::input_sizes ? row.input_sizes : row.output_sizes;
        if (!lists(hole, here, list) || static_cast<std::size_t>(end - here) < room) return false;
        break;
      }
      case Hole::real:
        if (*here != 'G') return false;
        here += 9;
        break;
      case Hole::record_id:
        if (!number(here, row.record_id, false)) return false;
        break;
      case Hole::collective_seq:
        if (!number(here, row.collective_seq, false)) return false;
        break;
      case Hole::p2p_seq:
        if (!number(here, row.p2p_seq, false)) return false;
        break;
      case Hole::op_id:
        if (!number(here, row.op_id, false)) return false;
        break;
      case Hole::created:
        if (!number(here, value, true)) return false;
        row.created_ns = std::max<std::int64_t>(0, value);
        break;
      case Hole::started:
        if (!number(here, value, true)) return false;
        row.started_seen = value > 0;
        break;
      case Hole::completed:
        if (!number(here, value, true)) return false;
        row.completed_ns = std::max<std::int64_t>(0, value);
        break;
      default: return false;
    }
    if (++i == count_) break;
    if (!equal(here, start_ + parts_[i].at, parts_[i].length)) return false;
    here += parts_[i].length;
  }
  if (!equal(here, start_ + end_, tail_)) return false;
  at = here + tail_;
  return true;
}

template <typename Lists, typename Each>
inline bool Pattern::each_hole(const unsigned char* at, Lists&& lists, Each each) const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Hole hole = parts_[i].hole;
    const unsigned char* const from = at += parts_[i].length;
    std::int64_t value = 0;
    std::uint32_t list = 0;
    const bool is_list = hole == Hole::frames || hole == Hole::input_sizes || hole == Hole::output_sizes;
    if (hole == Hole::real) at += 9;
    else if (is_list ? !lists(hole, at, list) : !number(at, value, true)) return false;
    if (!each(hole, from, at)) return false;
  }
  return true;
}

template <typename Lists>
inline bool Pattern::key(const unsigned char* at, const unsigned char* end, Lists&& lists, std::uint32_t& key) const {
  constexpr std::size_t AHEAD = 12;  // behind the time: the first sizes, where they are no hole
  const std::size_t room = length_ + count_ * 10 + AHEAD;
  if (static_cast<std::size_t>(end - at) < room) return false;
  std::uint64_t hash = keyed_;
  for (std::uint32_t i = 0; i < keyed_; ++i) {
    hash = mix(hash, at, parts_[i].length);
    at += parts_[i].length;
    std::int64_t value = 0;
    std::uint32_t list = 0;
    if (parts_[i].hole == Hole::frames ? !lists(Hole::frames, at, list) : !number(at, value, parts_[i].hole == Hole::created)) return false;
    if (static_cast<std::size_t>(end - at) < room) return false;
  }
  if (sized_) hash = mix(hash, at, AHEAD);
  key = static_cast<std::uint32_t>(hash ^ hash >> 32);
  return true;
}

template <typename Lists>
[[gnu::always_inline]] inline bool Patterns::match(const unsigned char*& at, const unsigned char* end, Row& row, Lists&& lists) {
  const std::array<std::uint32_t, 2> expected = last_ == NONE ? std::array{NONE, NONE} : links_[last_].next;
  if (misses_ < MANY_MISSES) {
    for (const std::uint32_t number : expected) {
      if (number == NONE || !patterns_[number].match(at, end, row, lists)) continue;
      misses_ -= misses_ > 0 ? 1 : 0;
      follow(number);
      return true;
    }
    misses_ += 2;
  }
  for (std::size_t layout = 0; layout < layouts_.size(); ++layout) {
    std::uint32_t key = 0;
    if (!patterns_[layouts_[layout]].key(at, end, lists, key)) continue;
    std::uint32_t number = by_key_[key % SLOTS] - 1;
    for (unsigned tried = 0; number != NONE && tried < MAX_ALIKE; number = links_[number].alike) {
      if (links_[number].key != key) continue;
      ++tried;
      if (!patterns_[number].match(at, end, row, lists)) continue;
      if (number == expected[0] || number == expected[1]) misses_ -= misses_ > 0 ? 1 : 0;
      if (layout > 0) std::swap(layouts_[layout], layouts_[layout - 1]);
      follow(number);
      return true;
    }
  }
  return false;
}

template <typename Lists>
void Patterns::note(const Pattern& pattern, const unsigned char* at, const unsigned char* end, Lists&& lists) {
  const std::size_t before = patterns_.size();
  const std::uint32_t number = pattern.usable() ? number_of(pattern) : NONE;
  if (number == NONE) {
    last_ = NONE;
    return;
  }
  std::uint32_t key = 0;
  if (patterns_.size() > before && pattern.has_key() && pattern.key(at, end, lists, key)) file(number, key);
  follow(number);
}

}  // namespace faultline::flight_recorder
