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

// Thread-safe once all is added. A place is held against four bytes of each word. First by halves of bytes: words share groups, and
// each group has of each of the four bytes which upper and lower halves one of its words has there, so that two shuffles tell the groups
// that a byte may belong to (Teddy, as in Hyperscan); where the processor looks up whole bytes of ASCII at once (AVX-512 VBMI), by those,
// of which fewer pass. What passes is hashed, and has a bit in a table of 16 KiB where it is of a word.
// What is left, a few of a thousand places, is for whoever asks to hold against the words. Both sieves go through a piece of text before
// what they left is looked at: a processor that guesses wrong at each twentieth place would lose more time by it than it needs for all.
class WordFilter {
 public:
  static constexpr std::size_t kWindow = 4;
  static constexpr unsigned kSet = 8;  // groups that are looked up together
  static constexpr unsigned kSets = 3;
  static constexpr unsigned kGroups = kSets * kSet;
  static constexpr unsigned kShortGroup = kGroups - 1;  // of words of two and three bytes

  struct Tables {
    // Of each set a bit a group: of the lower and the upper half of the first byte, of the second one and so on.
    alignas(16) std::array<std::array<std::array<std::uint8_t, 16>, kWindow>, kSets> low{};
    alignas(16) std::array<std::array<std::array<std::uint8_t, 16>, kWindow>, kSets> high{};
    // The same of a whole byte of ASCII.
    alignas(64) std::array<std::array<std::array<std::uint8_t, 128>, kWindow>, kSets> ascii{};
    std::vector<std::uint64_t> bits = std::vector<std::uint64_t>((std::size_t{1} << kBits) / 64);
    // Of short words: of each first two bytes.
    std::vector<std::uint64_t> pairs = std::vector<std::uint64_t>((std::size_t{1} << 16) / 64);
  };
  // Text that goes through a sieve at once, and of that what one mark is of.
  static constexpr std::size_t kPiece = 4096;
  static constexpr std::size_t kBlock = 64;
  // A bit a place, from the lowest up: of those that a group takes, and that the group of short words takes.
  struct Marks {
    std::array<std::uint64_t, kPiece / kBlock> any;
    std::array<std::uint64_t, kPiece / kBlock> of_short;
  };
  // Marked places that are written down together.
  static constexpr std::size_t kTogether = 8;
  // Those of a piece where a word may have its four bytes, from its begin on, in order.
  struct Places {
    std::array<std::uint16_t, kPiece + kTogether> at;
    std::size_t count = 0;
  };
  struct Sieves {
    void (*mark)(const Tables&, const char* data, std::size_t blocks, Marks&);
    void (*take)(const Tables&, const Marks&, const char* data, std::size_t blocks, Places&);
  };
  static constexpr unsigned kBits = 17;  // of a hash, which name a bit
  static constexpr unsigned kMostLanes = 64;

  // `most_lanes`: places at a time, where the processor can do that many.
  explicit WordFilter(unsigned most_lanes = kMostLanes);

  // Four bytes of a word. `any_case`: the letters among them in both cases.
  void add(std::string_view window, bool any_case, unsigned group);
  // A word of two or three bytes, in the case that it has.
  void add_short(std::string_view word);

  // Those of the piece of the text that begins at `from`, which is within it; returns how long that is.
  std::size_t places_in(std::string_view text, std::size_t from, Places& places) const;

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
  void through(const char* data, std::size_t blocks, Places& places) const;

  Tables tables_;
  Sieves sieves_;
};

}  // namespace faultline
