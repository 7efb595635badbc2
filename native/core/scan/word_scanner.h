// Finds the lines of a block that hold any of many words, at the speed of memory: line ends are looked for around hits alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace faultline {

struct ScanWord {
  std::string text;        // kLeastWord bytes at least
  bool any_case = false;   // of ASCII letters
};

struct FoundLine {
  std::size_t offset = 0;  // of its first byte
  std::size_t length = 0;  // without its newline
  std::uint32_t word = 0;  // the first one that was found, by its place in the set
  std::size_t newlines = 0;  // in the block before the line
};

// Thread-safe once it is made. Every second place of a block is looked at: four bytes there, hashed, have a bit in a table of 16 KiB
// where they are part of a word. What is left, a percent or so, is held against the words themselves. Words of two and three
// bytes are few, and looked for one by one.
class WordScanner {
 public:
  static constexpr std::size_t kLeastWord = 2;
  static constexpr std::size_t kMostWord = 256;
  static constexpr std::size_t kMostWords = 16'384;
  static constexpr unsigned kBits = 17;  // of a hash, which name a bit

  // Nothing where a word is too short or too long, or there are too many. `colours`: a word counts as well where escape
  // sequences of a terminal, or colour codes that lost their escape, are within it.
  static std::optional<WordScanner> make(std::vector<ScanWord> words, bool colours);

  // Appends the lines with a word that begin in `block`, which begins with a line, until there are `most` of them. Returns how
  // much of the block was read: all of it, or up to a line's end. `newlines` counts those in that part.
  std::size_t scan(std::string_view block, std::size_t most, std::vector<FoundLine>& found, std::size_t& newlines) const;

  // The first word that the text holds; nothing where it holds none.
  std::optional<std::uint32_t> first_in(std::string_view text) const;

 private:
  struct Place {
    std::uint32_t bytes;  // the four that were hashed, folded
    std::uint32_t word;
    std::int32_t offset;  // of those bytes in the word; -1: the word begins with the second one
    std::uint32_t next;   // of the same slot, 0 for none; places count from 1
  };
  struct Hit {
    std::size_t at;
    std::uint32_t word;
  };

  static constexpr unsigned kSlotBits = 13;

  WordScanner() = default;
  void add(std::uint32_t word, std::int32_t offset);
  void add_place(std::uint32_t bytes, std::uint32_t word, std::int32_t offset);
  bool is_here(const ScanWord& word, std::string_view text, std::size_t at) const;
  std::optional<Hit> verified(std::string_view text, std::size_t at, std::uint32_t bytes) const;
  // The first hit of a word of four bytes or more; of a shorter one; of any.
  std::optional<Hit> next_long(std::string_view text, std::size_t from) const;
  std::optional<Hit> next_short(std::string_view text, std::size_t from) const;
  std::optional<Hit> next_hit(std::string_view text, std::size_t from, std::optional<Hit>& shorter) const;
  std::optional<Hit> any_hit(std::string_view text) const;
  std::size_t scan_plain(std::string_view block, std::size_t from, std::size_t to, std::size_t most,
                         std::vector<FoundLine>& found, std::size_t& newlines) const;

  std::vector<ScanWord> words_;
  std::vector<std::pair<std::string, std::uint32_t>> short_;  // in each case that they may have
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> slots_;
  std::vector<Place> places_;
  bool colours_ = false;
};

}  // namespace faultline
