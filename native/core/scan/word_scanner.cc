// Finds the lines of a block that hold any of many words, at the speed of memory: line ends are looked for around hits alone.
#include "core/scan/word_scanner.h"

#include <algorithm>
#include <cstring>

#include "core/scan/coloured.h"

namespace faultline {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

constexpr std::uint8_t lower(char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

// The word in each of its cases: two to the power of its letters.
void each_case(std::string text, std::size_t from, std::uint32_t word, std::vector<std::pair<std::string, std::uint32_t>>& all) {
  if (from == text.size()) return all.emplace_back(text, word), void();
  each_case(text, from + 1, word, all);
  const bool letter = (text[from] >= 'a' && text[from] <= 'z') || (text[from] >= 'A' && text[from] <= 'Z');
  if (!letter) return;
  text[from] = static_cast<char>(text[from] ^ 0x20);
  each_case(text, from + 1, word, all);
}

std::size_t line_begin(std::string_view text, std::size_t from, std::size_t at) {
  const void* const newline = at == from ? nullptr : ::memrchr(text.data() + from, '\n', at - from);
  return newline == nullptr ? from : static_cast<std::size_t>(static_cast<const char*>(newline) - text.data()) + 1;
}

std::size_t line_end(std::string_view text, std::size_t at) {
  const void* const newline = at >= text.size() ? nullptr : std::memchr(text.data() + at, '\n', text.size() - at);
  return newline == nullptr ? text.size() : static_cast<std::size_t>(static_cast<const char*>(newline) - text.data());
}

}  // namespace

std::optional<WordScanner> WordScanner::make(std::vector<ScanWord> words, bool colours, unsigned most_lanes) {
  if (words.size() > kMostWords) return std::nullopt;
  for (const auto& [text, any_case] : words) {
    if (text.size() < kLeastWord || text.size() > kMostWord || text.find('\n') != kNowhere) return std::nullopt;
  }
  WordScanner scanner;
  scanner.colours_ = colours;
  scanner.filter_ = WordFilter(most_lanes);
  scanner.words_ = std::move(words);
  for (std::uint32_t i = 0; i < scanner.words_.size(); ++i) {
    const auto& [text, any_case] = scanner.words_[i];
    if (text.size() >= WordFilter::kWindow) continue;
    if (any_case) each_case(text, 0, i, scanner.short_);
    else scanner.short_.emplace_back(text, i);
  }
  for (const auto& [text, word] : scanner.short_) {
    scanner.filter_.add_short(text);
    scanner.begins_short_[static_cast<std::uint8_t>(text.front())] = true;
  }
  scanner.slots_.assign(std::size_t{1} << kSlotBits, 0);
  for (const WordPlace& place : choose_places(scanner.words_)) scanner.add(place);
  return scanner;
}

void WordScanner::add(const WordPlace& place) {
  const auto& [text, any_case] = words_[place.word];
  const std::string_view window = std::string_view(text).substr(place.offset, WordFilter::kWindow);
  filter_.add(window, any_case, place.group);
  const std::uint32_t bytes = WordFilter::folded_at(window, 0);
  std::uint32_t& slot = slots_[WordFilter::hash_of(bytes) >> (32 - kSlotBits)];
  places_.push_back({bytes, place.word, place.offset, slot});
  slot = static_cast<std::uint32_t>(places_.size());
}

bool WordScanner::is_here(const ScanWord& word, std::string_view text, std::size_t at) const {
  const std::string& wanted = word.text;
  if (at + wanted.size() > text.size()) return false;
  if (!word.any_case) return std::memcmp(text.data() + at, wanted.data(), wanted.size()) == 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (lower(text[at + i]) != lower(wanted[i])) return false;
  }
  return true;
}

// A word that has its four bytes there, or begins there where it is a short one.
std::optional<std::uint32_t> WordScanner::word_at(std::string_view text, std::size_t at) const {
  const std::uint32_t bytes = WordFilter::folded_at(text, at);
  for (std::uint32_t number = slots_[WordFilter::hash_of(bytes) >> (32 - kSlotBits)]; number != 0;) {
    const Place& place = places_[number - 1];
    number = place.next;
    if (place.bytes == bytes && place.offset <= at && is_here(words_[place.word], text, at - place.offset)) return place.word;
  }
  if (!begins_short_[static_cast<std::uint8_t>(text[at])]) return std::nullopt;
  for (const auto& [word, number] : short_) {
    if (text[at] == word.front() && text.substr(at, word.size()) == word) return number;
  }
  return std::nullopt;
}

// Goes through a text from its first hit to its last, a piece at a time.
class WordScanner::Search {
 public:
  Search(const WordScanner& scanner, std::string_view text, std::size_t from) : scanner_(scanner), text_(text), end_(from) {}

  // At or behind `from`, which is behind the hit before.
  std::optional<Hit> next(std::size_t from) {
    while (true) {
      while (next_ < places_.count) {
        const std::size_t at = begin_ + places_.at[next_++];
        if (at < from) continue;
        if (const auto word = scanner_.word_at(text_, at)) return Hit{at, *word};
      }
      begin_ = std::max(end_, from);
      if (begin_ >= text_.size()) return std::nullopt;
      end_ = begin_ + scanner_.filter_.places_in(text_, begin_, places_);
      next_ = 0;
    }
  }

 private:
  const WordScanner& scanner_;
  const std::string_view text_;
  WordFilter::Places places_;  // of the piece from begin to end
  std::size_t next_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_;
};

std::optional<std::uint32_t> WordScanner::first_hit(std::string_view text) const {
  const auto hit = Search(*this, text, 0).next(0);
  return hit ? std::optional(hit->word) : std::nullopt;
}

std::optional<std::uint32_t> WordScanner::first_in(std::string_view text) const {
  if (const auto word = first_hit(text)) return word;
  if (!colours_ || next_colour(text, 0) == kNowhere) return std::nullopt;
  std::string plain;
  strip_colours(text, plain);
  return first_hit(plain);
}

// From one line's begin to a place where a line ends. Counts newlines up to where it stops.
std::size_t WordScanner::scan_plain(std::string_view block, std::size_t from, std::size_t to, std::size_t most,
                                    std::vector<FoundLine>& found, std::size_t& newlines) const {
  const std::string_view part = block.substr(0, to);
  Search search(*this, part, from);
  while (from < to) {
    const auto hit = search.next(from);
    if (!hit) break;
    if (found.size() >= most) return from;
    const std::size_t begin = line_begin(part, from, hit->at);
    const std::size_t end = line_end(part, hit->at);
    newlines += count_newlines(part.substr(from, begin - from));
    found.push_back({begin, end - begin, hit->word, newlines});
    if (end < to) ++newlines;
    from = std::min(end + 1, to);
  }
  newlines += count_newlines(part.substr(from, to - from));
  return to;
}

std::size_t WordScanner::scan(std::string_view block, std::size_t most, std::vector<FoundLine>& found, std::size_t& newlines) const {
  newlines = 0;
  if (words_.empty()) {
    newlines = count_newlines(block);
    return block.size();
  }
  std::string plain;
  for (std::size_t from = 0; from < block.size();) {
    const std::size_t colour = colours_ ? next_colour(block, from) : kNowhere;
    const std::size_t begin = colour == kNowhere ? block.size() : line_begin(block, from, colour);
    const std::size_t read = scan_plain(block, from, begin, most, found, newlines);
    if (read < begin) return read;
    if (colour == kNowhere) break;
    if (found.size() >= most) return begin;
    const std::size_t end = line_end(block, colour);
    const std::string_view line = block.substr(begin, end - begin);
    auto word = first_hit(line);
    if (!word) {
      strip_colours(line, plain);
      word = first_hit(plain);
    }
    if (word) found.push_back({begin, line.size(), *word, newlines});
    if (end < block.size()) ++newlines;
    from = std::min(end + 1, block.size());
  }
  return block.size();
}

}  // namespace faultline
