// The short way for what a dump consists of: entries in c10's own form go into rows without passing the stack.
#pragma once

#include <array>
#include <span>

#include "flight_recorder/parse/builder.h"
#include "flight_recorder/parse/entry_pattern.h"
#include "flight_recorder/parse/fixed_entry.h"
#include "flight_recorder/parse/list_cache.h"

namespace faultline::flight_recorder {

// Takes only whole entries that it knows byte for byte to mean the same on the long way, and leaves all others to the stack
// machine from their start: what follows a value may still make another of it.
class EntryReader {
 public:
  EntryReader(std::span<const unsigned char> bytes, Builder& builder, Dump& dump)
      : bytes_(bytes), builder_(builder), dump_(dump) {}

  // `at` is after EMPTY_DICT. True when entries were taken: then `at` is after the last.
  bool read(std::size_t& at);

 private:
  static constexpr std::size_t MAX_ITEMS = 256;
  // Fields whose lists are kept apart.
  enum class Lists : std::uint8_t { frames, stepped_over, sizes, types, count };

  // A key that stood at this place in the entry before: entries of one recorder have one order.
  struct Expected {
    std::uint64_t bytes = 0;
    std::uint32_t length = 0;
    Name name{};
  };

  bool known(std::size_t& at);
  bool take_list(Hole hole, const unsigned char*& here, std::uint32_t& list);
  bool step_over(std::size_t& at, std::uint32_t& list);
  bool step_over_new(std::size_t& at);
  void note_pattern(std::size_t at);
  void note(Name name, std::size_t from, std::size_t to);
  bool pair(std::size_t& at, Row& row, std::size_t place);
  bool key(std::size_t& at, Name& name);
  bool expected_key(std::size_t& at, Name& name, std::size_t place);
  bool integer(std::size_t& at, std::int64_t& value);
  bool rest(std::size_t at, std::size_t& next, Name name, Row& row);
  bool scalar(std::size_t& at, Value& value);
  bool list(std::size_t& at, Lists of, std::uint32_t& list);
  bool sizes(std::size_t& at, Value& value);
  bool items(std::size_t& at, unsigned depth, Value& value);
  bool names(std::size_t& at, Row& row);

  std::span<const unsigned char> bytes_;
  Builder& builder_;
  Dump& dump_;
  std::array<ListCache, static_cast<std::size_t>(Lists::count)> lists_{};
  std::array<std::array<Value, MAX_ITEMS>, 2> items_;
  std::array<Expected, 32> expected_{};
  FixedEntries fixed_;
  Patterns patterns_;
  Pattern pattern_;  // of the entry that is being read
  std::uint32_t changes_ = 0;
};

}  // namespace faultline::flight_recorder
