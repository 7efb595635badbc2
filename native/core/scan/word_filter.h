// Where one of many words may be: two sieves that most places of a log fall through, up to sixty-four places at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace faultline {

// Thread-safe once all is added. A place is held against four bytes of each word. First by halves of bytes: words share eight groups, and
// each group has of each of the four bytes which upper and lower halves one of its words has there, so that two shuffles tell the groups
// that a byte may belong to (Teddy, as in Hyperscan); where the processor looks up whole bytes of ASCII at once (AVX-512 VBMI), by those,
// of which fewer pass. What passes is hashed, and has a bit in a table of 32 KiB where it is of a word.
// What is left, a few of a thousand places, is for whoever asks to hold against the words.
class WordFilter {
 public:
  static constexpr std::size_t kWindow = 4;
  static constexpr unsigned kGroups = 8;
  static constexpr unsigned kShortGroup = 7;  // of words of two and three bytes: no bit is asked for

  struct Tables {
    // A bit a group: of the lower and the upper half of the first byte, of the second one and so on.
    alignas(16) std::array<std::array<std::uint8_t, 16>, kWindow> low{};
    alignas(16) std::array<std::array<std::uint8_t, 16>, kWindow> high{};
    // The same of a whole byte of ASCII.
    alignas(64) std::array<std::array<std::uint8_t, 128>, kWindow> ascii{};
    std::vector<std::uint64_t> bits = std::vector<std::uint64_t>((std::size_t{1} << kBits) / 64);
  };
  // Of whole blocks from a place on: the first place that may be a word's; else where too little is left for a block, and `none`.
  struct Found {
    std::size_t at;
    bool none;
  };
  static constexpr unsigned kBits = 18;  // of a hash, which name a bit
  static constexpr unsigned kMostLanes = 64;

  // `most_lanes`: places at a time, where the processor can do that many.
  explicit WordFilter(unsigned most_lanes = kMostLanes);

  // Four bytes of a word. `any_case`: the letters among them in both cases.
  void add(std::string_view window, bool any_case, unsigned group);
  // A word of two or three bytes, in the case that it has.
  void add_short(std::string_view word);

  // The first place at or behind `from` where a word may have its four bytes; `npos` where none may.
  std::size_t next(std::string_view text, std::size_t from) const;

  // Four bytes as they are hashed: without case; zeros behind the end of the text.
  static std::uint32_t folded_at(std::string_view text, std::size_t at) {
    std::uint32_t four = 0;
    // A copy of as many bytes as there are would be read back before it is written.
    if (at + sizeof four <= text.size()) std::memcpy(&four, text.data() + at, sizeof four);
    else std::memcpy(&four, text.data() + at, text.size() - at);
    return four | 0x20202020;
  }
  static bool has_two_cases(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static std::uint32_t hash_of(std::uint32_t folded) { return folded * 0x9E3779B1u; }

 private:
  void add_byte(std::size_t place, char byte, unsigned group);

  Tables tables_;
  Found (*search_)(const Tables&, const char*, std::size_t, std::size_t);
};

}  // namespace faultline
