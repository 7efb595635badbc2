// Entries laid out as one before, byte for byte, but for what their numbers are: taken in one comparison, whatever came before
// them. Where the same place calls again and numbers take as many bytes, an entry is one of these.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "flight_recorder/parse/entry_pattern.h"

namespace faultline::flight_recorder {

class FixedEntries {
 public:
  // The bytes mean something else from now on.
  void clear();
  // As Pattern::match, of any entry that was noted.
  template <typename Lists>
  bool match(const unsigned char*& at, const unsigned char* end, Row& row, Lists&& lists);
  // An entry that is of this pattern, whole, from `from` to `to`, and what was made of it.
  template <typename Lists>
  void note(const Pattern& pattern, const unsigned char* from, const unsigned char* to, const Row& row, Lists&& lists) {
    if (!begin(static_cast<std::size_t>(to - from))) return;
    const bool taken = pattern.each_hole(from, lists, [&](Hole hole, const unsigned char* at, const unsigned char* behind) {
      return add_hole(hole, static_cast<std::size_t>(at - from), at, behind);
    });
    if (taken) keep(from, row);
  }

 private:
  static constexpr std::size_t MAX = 512, SLOTS = 512;
  static constexpr unsigned MAX_ALIKE = 8;  // with the same beginning that are tried
  // Bytes before the first number, by which entries are distinguished: the frames, or the innermost of them. Of all entries the fewest.
  static constexpr std::array<std::size_t, 4> BEGINNINGS{10, 16, 24, 32};
  // Together they take at most half a MiB, whatever a file holds.
  static constexpr std::size_t LONGEST = 768, MAX_LAYOUTS = 64, MAX_PARTS = 48;
  static constexpr std::size_t AT_ONCE = 4;  // words
  // What is noted costs two, what is found gives one: without credit none is noted or looked for any more.
  static constexpr std::uint32_t CREDIT = 2 * MAX;
  static constexpr std::uint32_t OUT_OF_ORDER = 64;  // more, and what followed last time is not tried first
  static constexpr std::uint32_t NONE = UINT32_MAX;

  // Bytes that differ between entries of one layout, or where a list of sizes is, whose bytes follow.
  struct Part {
    std::uint16_t at;     // of the number itself, from MARK
    std::uint8_t bytes;   // 0: a list
    bool is_signed;
    Hole hole;
    bool operator==(const Part&) const = default;
  };
  struct Number {
    std::uint16_t at;
    std::uint8_t left;  // bits of a word that it does not take
    bool is_signed;
    std::int64_t Row::*to;
  };
  struct Layout {
    std::uint32_t length = 0, words = 0;
    std::uint32_t counts = 0;      // in `words_`: the bits that count
    std::uint32_t started_at = 0;  // the time of the start; 0: constant
    std::vector<Part> parts, lists;
    std::vector<Number> numbers;
  };
  struct Entry {
    std::uint32_t layout, first;  // in `words_`: what is there
    std::uint32_t next;           // that followed last time
    std::uint32_t alike;          // another one of the same slot
    Row row;
  };

  static std::uint64_t word(const unsigned char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  std::size_t slot_of(const unsigned char* at) const {
    const std::size_t last = beginning_ - 8;
    const std::uint64_t mixed = word(at) * 0x9e3779b97f4a7c15ULL ^ word(at + std::min<std::size_t>(8, last)) * 0xff51afd7ed558ccdULL ^
                                word(at + std::min<std::size_t>(16, last)) * 0xc4ceb9fe1a85ec53ULL ^ word(at + last) * 0x94d049bb133111ebULL;
    // A multiplication carries upwards alone.
    return static_cast<std::size_t>((mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15ULL >> 55);
  }
  template <typename Lists>
  bool take(const Entry& entry, const unsigned char* at, const unsigned char* end, Row& row, Lists&& lists) const;
  void forget();
  // Of the entry that is noted; false where it makes none.
  bool begin(std::size_t length);
  bool add_hole(Hole hole, std::size_t start, const unsigned char* at, const unsigned char* to);
  bool add_sizes(Hole hole, std::size_t start, const unsigned char* at, const unsigned char* to);
  std::uint32_t layout();
  void follow(std::uint32_t number) {
    if (last_ != NONE && entries_[last_].next != number) entries_[last_].next = number;
    last_ = number;
  }
  void keep(const unsigned char* from, const Row& row);

  std::vector<Layout> layouts_;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> words_;
  std::size_t length_ = 0, before_ = 0;       // of the entry that is noted; bytes before its first number
  std::vector<Part> parts_;                   // of it
  std::size_t beginning_ = BEGINNINGS.back();
  std::array<std::uint16_t, SLOTS> slots_{};  // the newest of each; number and one
  std::uint32_t credit_ = CREDIT;
  std::uint32_t out_of_order_ = 0;            // two for each that did not follow as last time, less one for each that did
  std::uint32_t last_ = NONE;
};

template <typename Lists>
[[gnu::always_inline]] inline bool FixedEntries::take(const Entry& entry, const unsigned char* at, const unsigned char* end, Row& row,
                                                       Lists&& lists) const {
  const Layout& layout = layouts_[entry.layout];
  if (static_cast<std::size_t>(end - at) < 8 * (layout.words + 1)) return false;
  const std::uint64_t* const wanted = words_.data() + entry.first;
  const std::uint64_t* const counts = words_.data() + layout.counts;
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < layout.words; i += AT_ONCE) {
    for (std::size_t j = i; j < i + AT_ONCE; ++j) differ |= (word(at + 8 * j) & counts[j]) ^ wanted[j];
  }
  if (differ != 0) return false;
  row = entry.row;
  std::uint64_t wide = 0;
  for (const Number& number : layout.numbers) {
    const std::uint64_t top = word(at + number.at) << number.left;
    if (number.left == 0) wide |= top;
    row.*number.to = number.is_signed ? static_cast<std::int64_t>(top) >> number.left : static_cast<std::int64_t>(top >> number.left);
  }
  if (layout.started_at != 0) {
    const std::uint64_t started = word(at + layout.started_at);
    wide |= started;
    row.started_seen = started > 0;
  }
  // Negative, or more than a value holds.
  if (wide >> 62 != 0) return false;
  for (const Part& list : layout.lists) {
    const unsigned char* here = at + list.at;
    if (!lists(list.hole, here, list.hole == Hole::input_sizes ? row.input_sizes : row.output_sizes)) return false;
  }
  return true;
}

template <typename Lists>
[[gnu::always_inline]] inline bool FixedEntries::match(const unsigned char*& at, const unsigned char* end, Row& row, Lists&& lists) {
  if (entries_.empty() || credit_ == 0 || static_cast<std::size_t>(end - at) < BEGINNINGS.back()) return false;
  const auto taken = [&](std::uint32_t number) {
    credit_ += credit_ < CREDIT ? 1 : 0;
    at += layouts_[entries_[number].layout].length;
    return true;
  };
  const std::uint32_t expected = last_ == NONE ? NONE : entries_[last_].next;
  if (expected != NONE && out_of_order_ < OUT_OF_ORDER && take(entries_[expected], at, end, row, lists)) {
    out_of_order_ -= out_of_order_ > 0 ? 1 : 0;
    last_ = expected;
    return taken(expected);
  }
  std::uint32_t number = slots_[slot_of(at)] - 1u;
  for (unsigned tried = 0; number != NONE && tried < MAX_ALIKE; number = entries_[number].alike, ++tried) {
    if (!take(entries_[number], at, end, row, lists)) continue;
    if (number == expected) out_of_order_ -= out_of_order_ > 0 ? 1 : 0;
    else if (out_of_order_ < OUT_OF_ORDER) out_of_order_ += 2;
    follow(number);
    return taken(number);
  }
  return false;
}

}  // namespace faultline::flight_recorder
