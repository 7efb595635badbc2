// Finds the lines of a block that hold any of many words, at the speed of memory: line ends are looked for around hits alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/scan/word_filter.h"
#include "core/scan/word_places.h"

namespace faultline {

struct FoundLine {
  std::size_t offset = 0;  // of its first byte
  std::size_t length = 0;  // without its newline
  std::uint32_t word = 0;  // the first one that was found, by its place in the set
  std::size_t newlines = 0;  // in the block before the line
};

// Thread-safe once it is made. A filter says where a word may be, by four bytes of each; there it is held against the words. Words of two
// and three bytes are few, and held against one by one.
class WordScanner {
 public:
  static constexpr std::size_t kLeastWord = 2;
  static constexpr std::size_t kMostWord = 256;
  static constexpr std::size_t kMostWords = 16'384;

  // Nothing where a word is too short or too long, or there are too many. `colours`: a word counts as well where escape
  // sequences of a terminal, or colour codes that lost their escape, are within it. `most_lanes`: as the filter takes it.
  static std::optional<WordScanner> make(std::vector<ScanWord> words, bool colours, unsigned most_lanes = WordFilter::kMostLanes);

  // Appends the lines with a word that begin in `block`, which begins with a line, until there are `most` of them. Returns how
  // much of the block was read: all of it, or up to a line's end. `newlines` counts those in that part.
  std::size_t scan(std::string_view block, std::size_t most, std::vector<FoundLine>& found, std::size_t& newlines) const;

  // The first word that the text holds; nothing where it holds none.
  std::optional<std::uint32_t> first_in(std::string_view text) const;

 private:
  struct Place {
    std::uint32_t bytes;  // the four that the filter looks for, without case
    std::uint32_t word;
    std::uint32_t offset;  // of those bytes in the word
    std::uint32_t next;    // of the same slot, 0 for none; places count from 1
  };
  struct Hit {
    std::size_t at;  // inside the word
    std::uint32_t word;
  };
  class Search;

  static constexpr unsigned kSlotBits = 13;

  WordScanner() = default;
  void add(const WordPlace& place);
  bool is_here(const ScanWord& word, std::string_view text, std::size_t at) const;
  std::optional<std::uint32_t> word_at(std::string_view text, std::size_t at) const;
  std::optional<std::uint32_t> first_hit(std::string_view text) const;
  std::size_t scan_plain(std::string_view block, std::size_t from, std::size_t to, std::size_t most,
                         std::vector<FoundLine>& found, std::size_t& newlines) const;

  std::vector<ScanWord> words_;
  std::vector<std::pair<std::string, std::uint32_t>> short_;  // in each case that they may have
  std::array<bool, 256> begins_short_{};
  WordFilter filter_;
  std::vector<std::uint32_t> slots_;
  std::vector<Place> places_;
  bool colours_ = false;
};

}  // namespace faultline
