// Finds the lines of a block that hold any of many words, at the speed of memory: line ends are looked for around hits alone.
#include "core/scan/word_scanner.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "core/scan/coloured.h"

namespace faultline {
namespace {

constexpr std::uint32_t kFold = 0x202020;
constexpr std::uint64_t kFoldAll = 0x2020202020202020;
constexpr std::size_t kNowhere = std::string_view::npos;

constexpr std::uint32_t hash_of(std::uint32_t bytes) { return bytes * 0x9E3779B1u; }

constexpr std::uint8_t lower(char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

// How often a byte is in a log, in about one of so many: what is not here is rare.
std::uint32_t rarity(char c) {
  constexpr std::string_view kFrequent = " e0t1aoin2r3s-:.,45l6d7c8u9mp=[]_f/gh";
  const std::size_t at = kFrequent.find(static_cast<char>(lower(c)));
  if (at == kNowhere) return 128;
  return at < 12 ? 12 : at < 26 ? 24 : 48;
}

std::uint32_t folded(const std::string& word, std::size_t at) {
  std::uint32_t bytes = 0;
  for (std::size_t i = 0; i < 3; ++i) bytes |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(word[at + i])) << (8 * i);
  return bytes | kFold;
}

// The bytes at a place, and as many as eight at once; zero behind the end.
std::uint64_t load(const char* from, std::size_t size) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, from, std::min<std::size_t>(size, sizeof bytes));
  return bytes;
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

std::optional<WordScanner> WordScanner::make(std::vector<ScanWord> words, bool colours) {
  if (words.size() > kMostWords) return std::nullopt;
  WordScanner scanner;
  scanner.colours_ = colours;
  scanner.bits_.assign((std::size_t{1} << kBits) / 64, 0);
  scanner.slots_.assign(std::size_t{1} << kSlotBits, 0);
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text.size() < kLeastWord || text.size() > kMostWord || text.find('\n') != kNowhere) return std::nullopt;
  }
  scanner.words_ = std::move(words);
  for (std::uint32_t i = 0; i < scanner.words_.size(); ++i) {
    const std::string& text = scanner.words_[i].text;
    // Two places side by side, one of which is looked at wherever the word is: the rarest ones.
    std::int32_t best = text.size() == 2 ? -1 : 0;
    std::uint64_t most = 0;
    for (std::size_t at = 0; at + 4 <= text.size(); ++at) {
      const std::uint64_t middle = std::uint64_t{rarity(text[at + 1])} * rarity(text[at + 2]);
      const std::uint64_t both = middle * std::min(rarity(text[at]), rarity(text[at + 3]));
      if (both <= most) continue;
      most = both;
      best = static_cast<std::int32_t>(at);
    }
    scanner.add(i, best);
    scanner.add(i, best + 1);
  }
  return scanner;
}

// Three bytes of the word; before and behind it any byte may be.
void WordScanner::add(std::uint32_t word, std::int32_t offset) {
  const std::string& text = words_[word].text;
  const bool before = offset < 0;
  const bool behind = static_cast<std::size_t>(offset + 3) > text.size();
  if (!before && !behind) return add_place(folded(text, static_cast<std::size_t>(offset)), word, offset);
  for (unsigned any = 0; any < 256; ++any) {
    if ((any & 0x20) == 0) continue;  // the others fold to these
    const std::string three = before ? static_cast<char>(any) + text.substr(0, 2)
                                     : text.substr(static_cast<std::size_t>(offset), 2) + static_cast<char>(any);
    add_place(folded(three, 0), word, offset);
  }
}

void WordScanner::add_place(std::uint32_t bytes, std::uint32_t word, std::int32_t offset) {
  const std::uint32_t hash = hash_of(bytes);
  const std::uint32_t bit = hash >> (32 - kBits);
  bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  std::uint32_t& slot = slots_[hash >> (32 - kSlotBits)];
  places_.push_back({bytes, word, offset, slot});
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

std::optional<WordScanner::Hit> WordScanner::verified(std::string_view text, std::size_t at, std::uint32_t bytes) const {
  for (std::uint32_t place = slots_[hash_of(bytes) >> (32 - kSlotBits)]; place != 0;) {
    const Place& known = places_[place - 1];
    place = known.next;
    if (known.bytes != bytes || (known.offset > 0 && static_cast<std::size_t>(known.offset) > at)) continue;
    const std::size_t begin = at - static_cast<std::size_t>(static_cast<std::ptrdiff_t>(known.offset));
    if (is_here(words_[known.word], text, begin)) return Hit{begin, known.word};
  }
  return std::nullopt;
}

std::optional<WordScanner::Hit> WordScanner::next_hit(std::string_view text, std::size_t from) const {
  const char* const data = text.data();
  const std::uint64_t* const bits = bits_.data();
  const auto is_set = [bits](std::uint32_t hash) { return (bits[hash >> (32 - kBits + 6)] >> ((hash >> (32 - kBits)) & 63)) & 1; };
  constexpr std::uint32_t kThree = 0xFFFFFF;
  std::size_t at = from;
  // Twelve bytes a turn: six places in two loads.
  for (; at + 16 <= text.size(); at += 12) {
    std::uint64_t first;
    std::uint64_t second;
    std::memcpy(&first, data + at, sizeof first);
    std::memcpy(&second, data + at + 6, sizeof second);
    first |= kFoldAll;
    second |= kFoldAll;
    const std::array<std::uint32_t, 6> three = {
        static_cast<std::uint32_t>(first) & kThree,  static_cast<std::uint32_t>(first >> 16) & kThree,
        static_cast<std::uint32_t>(first >> 32) & kThree, static_cast<std::uint32_t>(second) & kThree,
        static_cast<std::uint32_t>(second >> 16) & kThree, static_cast<std::uint32_t>(second >> 32) & kThree};
    std::uint64_t some = 0;
    for (const std::uint32_t bytes : three) some |= is_set(hash_of(bytes));
    if (some == 0) [[likely]]
      continue;
    for (std::size_t i = 0; i < three.size(); ++i) {
      if (!is_set(hash_of(three[i]))) continue;
      if (const auto hit = verified(text, at + 2 * i, three[i])) return hit;
    }
  }
  for (; at < text.size(); at += 2) {
    const auto bytes = static_cast<std::uint32_t>((load(data + at, text.size() - at) | kFoldAll) & kThree);
    if (!is_set(hash_of(bytes))) continue;
    if (const auto hit = verified(text, at, bytes)) return hit;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> WordScanner::first_in(std::string_view text) const {
  if (const auto hit = next_hit(text, 0)) return hit->word;
  if (!colours_ || next_colour(text, 0) == kNowhere) return std::nullopt;
  std::string plain;
  strip_colours(text, plain);
  const auto hit = next_hit(plain, 0);
  return hit ? std::optional(hit->word) : std::nullopt;
}

// From one line's begin to a place where a line ends. Counts newlines up to where it stops.
std::size_t WordScanner::scan_plain(std::string_view block, std::size_t from, std::size_t to, std::size_t most,
                                    std::vector<FoundLine>& found, std::size_t& newlines) const {
  const std::string_view part = block.substr(0, to);
  while (from < to) {
    const auto hit = next_hit(part, from);
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
    auto hit = next_hit(line, 0);
    if (!hit) {
      strip_colours(line, plain);
      hit = next_hit(plain, 0);
    }
    if (hit) found.push_back({begin, line.size(), hit->word, newlines});
    if (end < block.size()) ++newlines;
    from = std::min(end + 1, block.size());
  }
  return block.size();
}

}  // namespace faultline
