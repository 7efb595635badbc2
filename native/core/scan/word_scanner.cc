// Finds the lines of a block that hold any of many words, at the speed of memory: line ends are looked for around hits alone.
#include "core/scan/word_scanner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/scan/coloured.h"

namespace faultline {
namespace {

constexpr std::uint64_t kFoldAll = 0x2020202020202020;
constexpr std::size_t kWindow = 4;
constexpr std::size_t kNowhere = std::string_view::npos;

constexpr std::uint32_t hash_of(std::uint32_t bytes) { return bytes * 0x9E3779B1u; }

constexpr std::uint8_t lower(char c) {
  const auto byte = static_cast<std::uint8_t>(c);
  return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

// What logs are full of, in lower case: four bytes that are in here come everywhere.
constexpr std::string_view kUsual =
    "iteration 100/ 1000 | consumed samples: | elapsed time per iteration (ms): | throughput per gpu (tflop/s/gpu): | learning rate: 1.0e-05 "
    "| global batch size: | lm loss: 2.1e+00 | loss scale: 1.0 | grad norm: | number of skipped iterations: | number of nan iterations: | "
    "step: loss: grad_norm: memory: gib( tokens per second tps: mfu: epoch - root - info - debug | warning | trainer.data: loading shard "
    "of 1000 from /data/ rows in ms took us for batch queue worker process rank node host started stopped finished successfully. "
    "nccl info channel 0/0 : [0] -> [1] [send] via net/ib/0/gdrdma connected all rings using ring systemd[1]: session scope: deactivated "
    "starting started service. sshd[1]: accepted publickey for user from 10.0.0.1 port 22 ssh2: sha256: kernel: in=eth0 out= mac= src= dst= "
    "len= tos=0x00 prec=0x00 ttl=64 id= proto=tcp spt= dpt= window= res=0x00 syn urgp=0 audit: type=1400 apparmor=\"allowed\" operation=\"open\" "
    "profile= name=\"/proc/ pid= comm=\"python3\" requested_mask= info:     - \"post /v1/chat/completions http/1.1\" 200 ok get "
    "metrics.py:351] running: reqs, pending: gpu kv cache usage: 1.0%, kubelet.go: \"syncloop event for pod\" device memory usage total "
    "file line module import config version build checkpoint saving to path model training evaluation validation data loader compile time";

// How often a byte is in a log, in about one of so many: what is not here is rare.
std::uint64_t rarity(char c) {
  constexpr std::string_view kFrequent = " e0t1aoin2r3s-:.,45l6d7c8u9mp=[]_f/gh";
  const std::size_t at = kFrequent.find(static_cast<char>(lower(c)));
  if (at == kNowhere) return 128;
  return at < 12 ? 12 : at < 26 ? 24 : 48;
}

std::uint64_t rarity_of(std::string_view four) {
  std::uint64_t product = 1;
  std::string low;
  for (const char c : four) {
    product *= rarity(c);
    low.push_back(static_cast<char>(lower(c)));
  }
  return kUsual.find(low) == kNowhere ? product << 20 : product;
}

std::uint32_t folded(std::string_view four) {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, four.data(), sizeof bytes);
  return bytes | static_cast<std::uint32_t>(kFoldAll);
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

bool is_set(const std::uint64_t* bits, std::uint32_t hash) {
  return ((bits[hash >> (32 - WordScanner::kBits + 6)] >> ((hash >> (32 - WordScanner::kBits)) & 63)) & 1) != 0;
}

// Twelve bytes a turn: six places in two loads.
constexpr std::size_t kTurn = 12;
constexpr std::size_t kNeeded = 14;

using NextTurn = std::size_t (*)(const char*, std::size_t, std::size_t, const std::uint64_t*);

// The first turn with a place that has its bit; where too little is left for a turn, there.
[[gnu::always_inline]] inline std::size_t turn_with_bit(const char* data, std::size_t at, std::size_t size, const std::uint64_t* bits) {
  const auto bit = [bits](std::uint32_t bytes) {
    const std::uint32_t place = hash_of(bytes) >> (32 - WordScanner::kBits);
    return bits[place / 64] >> (place % 64);
  };
  for (; at + kNeeded <= size; at += kTurn) {
    std::uint64_t first;
    std::uint64_t second;
    std::memcpy(&first, data + at, sizeof first);
    std::memcpy(&second, data + at + 6, sizeof second);
    first |= kFoldAll;
    second |= kFoldAll;
    const std::uint64_t some = bit(static_cast<std::uint32_t>(first)) | bit(static_cast<std::uint32_t>(first >> 16)) |
                               bit(static_cast<std::uint32_t>(first >> 32)) | bit(static_cast<std::uint32_t>(second)) |
                               bit(static_cast<std::uint32_t>(second >> 16)) | bit(static_cast<std::uint32_t>(second >> 32));
    if ((some & 1) != 0) break;
  }
  return at;
}

std::size_t turn_anywhere(const char* data, std::size_t at, std::size_t size, const std::uint64_t* bits) {
  return turn_with_bit(data, at, size, bits);
}

#if defined(__x86_64__)
// Shifts by a number that is not known before are three steps without it, and one with it.
[[gnu::target("bmi,bmi2")]] std::size_t turn_with_bmi2(const char* data, std::size_t at, std::size_t size, const std::uint64_t* bits) {
  return turn_with_bit(data, at, size, bits);
}
#endif

NextTurn fastest_turn() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("bmi2")) return turn_with_bmi2;
#endif
  return turn_anywhere;
}

// Four bytes, folded; zero behind the end, where that may be near.
std::uint32_t four_at(const char* data, std::size_t at, std::size_t size, bool near_end) {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, data + at, near_end ? std::min(size - at, sizeof bytes) : sizeof bytes);
  return bytes | static_cast<std::uint32_t>(kFoldAll);
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
    if (text.size() < kWindow) {
      if (scanner.words_[i].any_case) {
        each_case(text, 0, i, scanner.short_);
      } else {
        scanner.short_.emplace_back(text, i);
      }
      continue;
    }
    // Two places side by side, one of which is looked at wherever the word is: the rarest ones.
    std::int32_t best = text.size() > kWindow || rarity_of(text.substr(1)) > rarity_of(text.substr(0, kWindow - 1)) ? 0 : -1;
    std::uint64_t most = 0;
    for (std::size_t at = 0; at + kWindow < text.size(); ++at) {
      const std::uint64_t both = std::min(rarity_of(text.substr(at, kWindow)), rarity_of(text.substr(at + 1, kWindow)));
      if (both <= most) continue;
      most = both;
      best = static_cast<std::int32_t>(at);
    }
    scanner.add(i, best);
    scanner.add(i, best + 1);
  }
  return scanner;
}

// Four bytes of the word; before and behind it any byte may be.
void WordScanner::add(std::uint32_t word, std::int32_t offset) {
  const std::string& text = words_[word].text;
  const bool before = offset < 0;
  const bool behind = static_cast<std::size_t>(offset + 1) + kWindow > text.size() + 1;
  if (!before && !behind) return add_place(folded(std::string_view(text).substr(static_cast<std::size_t>(offset), kWindow)), word, offset);
  for (unsigned any = 0; any < 256; ++any) {
    if ((any & 0x20) == 0) continue;  // the others fold to these
    const std::string four = before ? static_cast<char>(any) + text.substr(0, kWindow - 1)
                                    : text.substr(static_cast<std::size_t>(offset), kWindow - 1) + static_cast<char>(any);
    add_place(folded(four), word, offset);
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

std::optional<WordScanner::Hit> WordScanner::next_long(std::string_view text, std::size_t from) const {
  const char* const data = text.data();
  const std::uint64_t* const bits = bits_.data();
  static const NextTurn next_turn = fastest_turn();
  std::size_t at = from;
  for (;;) {
    at = next_turn(data, at, text.size(), bits);
    const std::size_t end = std::min(text.size(), at + kTurn);
    const bool last = at + kNeeded > text.size();
    // All bits before any word: a guess for each place would be wrong too often.
    std::uint32_t set = 0;
    for (std::size_t i = 0; at + i < end; i += 2)
      set |= static_cast<std::uint32_t>(is_set(bits, hash_of(four_at(data, at + i, text.size(), last)))) << i;
    for (; set != 0; set &= set - 1) {
      const std::size_t place = at + static_cast<std::size_t>(std::countr_zero(set));
      if (const auto hit = verified(text, place, four_at(data, place, text.size(), last))) return hit;
    }
    at += kTurn;
    if (at >= text.size()) return std::nullopt;
  }
}

std::optional<WordScanner::Hit> WordScanner::next_short(std::string_view text, std::size_t from) const {
  std::optional<Hit> first;
  for (const auto& [word, number] : short_) {
    const std::size_t at = text.substr(0, first ? first->at : text.size()).find(word, from);
    if (at != kNowhere) first = Hit{at, number};
  }
  return first;
}

// `shorter`: the next hit of a short word, which is kept from call to call, so that no part is looked through for it twice.
std::optional<WordScanner::Hit> WordScanner::next_hit(std::string_view text, std::size_t from, std::optional<Hit>& shorter) const {
  if (shorter && shorter->at < from) shorter = next_short(text, from);
  const auto longer = next_long(shorter ? text.substr(0, shorter->at) : text, from);
  return longer ? longer : shorter;
}

std::optional<WordScanner::Hit> WordScanner::any_hit(std::string_view text) const {
  const auto longer = next_long(text, 0);
  return longer ? longer : next_short(text, 0);
}

std::optional<std::uint32_t> WordScanner::first_in(std::string_view text) const {
  if (const auto hit = any_hit(text)) return hit->word;
  if (!colours_ || next_colour(text, 0) == kNowhere) return std::nullopt;
  std::string plain;
  strip_colours(text, plain);
  const auto hit = any_hit(plain);
  return hit ? std::optional(hit->word) : std::nullopt;
}

// From one line's begin to a place where a line ends. Counts newlines up to where it stops.
std::size_t WordScanner::scan_plain(std::string_view block, std::size_t from, std::size_t to, std::size_t most,
                                    std::vector<FoundLine>& found, std::size_t& newlines) const {
  const std::string_view part = block.substr(0, to);
  std::optional<Hit> shorter = next_short(part, from);
  while (from < to) {
    const auto hit = next_hit(part, from, shorter);
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
    auto hit = any_hit(line);
    if (!hit) {
      strip_colours(line, plain);
      hit = any_hit(plain);
    }
    if (hit) found.push_back({begin, line.size(), hit->word, newlines});
    if (end < block.size()) ++newlines;
    from = std::min(end + 1, block.size());
  }
  return block.size();
}

}  // namespace faultline
