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

  // The entry at `at` if it is of this pattern: fills `row` and advances `at`. `lists(hole, at, number)` takes a list.
  template <typename Lists>
  bool match(const unsigned char*& at, const unsigned char* end, Row& row, Lists&& lists) const;

  bool same(const Pattern& other) const;
  std::uint32_t hash() const { return hash_; }

 private:
  // Eight bytes more can be read behind both.
  static bool equal(const unsigned char* a, const unsigned char* b, std::size_t length);
  // An integer in one of the four forms of recorders, None as 0 where `none`; false for anything else.
  static bool number(const unsigned char*& at, std::int64_t& value, bool none);

  const unsigned char* start_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t seen_ = 0;
  std::uint32_t end_ = 0;  // where the last hole ends
  std::uint32_t tail_ = 0;
  std::uint32_t length_ = 0;  // of the constant parts together
  std::uint32_t hash_ = 0;
  bool usable_ = false;
  std::array<Part, MAX_HOLES> parts_{};
  Row row_;
};

// The patterns of one dump, and which followed which: training steps come round.
class Patterns {
 public:
  static constexpr std::size_t MAX = 256;
  static constexpr std::uint32_t NONE = UINT32_MAX;

  void clear();
  // As Pattern::match, of those that followed the last entry's.
  template <typename Lists>
  bool match(const unsigned char*& at, const unsigned char* end, Row& row, Lists&& lists) {
    if (last_ == NONE) return false;
    std::array<std::uint32_t, 2>& next = next_[last_];
    if (next[0] != NONE && patterns_[next[0]].match(at, end, row, lists)) return last_ = next[0], true;
    if (next[1] == NONE || !patterns_[next[1]].match(at, end, row, lists)) return false;
    std::swap(next[0], next[1]);
    last_ = next[0];
    return true;
  }
  // Notes an entry that was read the usual way, with its pattern where it makes one.
  void note(const Pattern& pattern);
  // MAX are told apart. With more, sizes become holes, and what was told apart by them is forgotten.
  bool sizes_change() const { return sizes_change_; }

 private:
  bool sizes_change_ = false;
  std::vector<Pattern> patterns_;
  std::vector<std::array<std::uint32_t, 2>> next_;
  std::array<std::uint32_t, MAX * 4> slots_{};  // by hash; number and one
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

template <typename Lists>
[[gnu::always_inline]] inline bool Pattern::match(const unsigned char*& at, const unsigned char* end, Row& row,
                                                  Lists&& lists) const {
  const unsigned char* here = at;
  std::int64_t numbers[static_cast<std::size_t>(Hole::count)];
  std::array<std::uint32_t, 3> list{row_.frames, row_.input_sizes, row_.output_sizes};
  std::size_t room = length_ + count_ * 10 + 8;
  if (static_cast<std::size_t>(end - here) < room) return false;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const Part& part = parts_[i];
    if (!equal(here, start_ + part.at, part.length)) return false;
    here += part.length;
    switch (part.hole) {
      case Hole::frames:
      case Hole::input_sizes:
      case Hole::output_sizes:
        if (!lists(part.hole, here, list[static_cast<std::size_t>(part.hole) - static_cast<std::size_t>(Hole::frames)]) ||
            static_cast<std::size_t>(end - here) < room) {
          return false;
        }
        break;
      case Hole::real:
        if (*here != 'G') return false;
        here += 9;
        break;
      default:
        if (!number(here, numbers[static_cast<std::size_t>(part.hole)], part.hole >= Hole::created)) return false;
        break;
    }
  }
  if (!equal(here, start_ + end_, tail_)) return false;
  row = row_;
  row.frames = list[0];
  row.input_sizes = list[1];
  row.output_sizes = list[2];
  for (std::uint32_t i = 0; i < count_; ++i) {
    const std::int64_t value = numbers[static_cast<std::size_t>(parts_[i].hole)];
    switch (parts_[i].hole) {
      case Hole::record_id: row.record_id = value; break;
      case Hole::collective_seq: row.collective_seq = value; break;
      case Hole::p2p_seq: row.p2p_seq = value; break;
      case Hole::op_id: row.op_id = value; break;
      case Hole::created: row.created_ns = std::max<std::int64_t>(0, value); break;
      case Hole::started: row.started_seen = value > 0; break;
      case Hole::completed: row.completed_ns = std::max<std::int64_t>(0, value); break;
      default: break;
    }
  }
  at = here + tail_;
  return true;
}

}  // namespace faultline::flight_recorder
