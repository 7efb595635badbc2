// Colours in text: where escape sequences of a terminal are, and the text without them, as src/detection/text/job/ansi.ts has it.
#include "core/scan/coloured.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace faultline {
namespace {

// Sixteen bytes side by side: SSE2 and NEON alike, by the compiler.
using Bytes = std::uint8_t __attribute__((vector_size(16)));

constexpr char kEscape = 0x1b;
constexpr std::size_t kLongestColour = 20;

bool is_code_digit(char c) { return c >= '0' && c <= '9'; }

// Whether the "m" there ends "[0m", "[1;32m": digits and semicolons behind a bracket, as few as `bare_colour_end` takes.
bool ends_colour(std::string_view text, std::size_t at) {
  for (std::size_t back = 1; back <= kLongestColour + 1 && back <= at; ++back) {
    const char c = text[at - back];
    if (c == '[') return true;
    if (!is_code_digit(c) && c != ';') return false;
  }
  return false;
}

std::size_t bare_colour_end(std::string_view text, std::size_t at) {
  std::size_t digits = 0;
  for (std::size_t end = at + 1; end < text.size() && end - at <= kLongestColour + 1; ++end) {
    if (is_code_digit(text[end])) {
      ++digits;
    } else if (text[end] == 'm' && digits > 0) {
      return end + 1;
    } else if (text[end] != ';') {
      return at;
    }
  }
  return at;
}

std::size_t sequence_end(std::string_view text, std::size_t at) {
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  std::size_t end = at + 2;
  if (next == '[') {
    while (end < text.size() && static_cast<unsigned char>(text[end]) < 0x40) ++end;
    return std::min(end + 1, text.size());
  }
  if (next != ']') return std::min(end, text.size());
  while (end < text.size() && text[end] != 0x07 && text[end] != kEscape) ++end;
  return std::min(end + (end < text.size() && text[end] == kEscape ? 2 : 1), text.size());
}

// Of bytes side by side, as many as `Wide` has: the first place from which on some may be of a colour, in whole pieces.
constexpr std::size_t kPiece = 64;

template <typename Wide>
[[gnu::always_inline]] inline std::size_t piece_with_colour(const char* data, std::size_t at, std::size_t size) {
  const Wide escape = Wide{} + static_cast<std::uint8_t>(kEscape);
  const Wide letter = Wide{} + static_cast<std::uint8_t>('m');
  const Wide zero = Wide{} + static_cast<std::uint8_t>('0');
  const Wide ten = Wide{} + static_cast<std::uint8_t>(10);
  for (; size - at >= kPiece; at += kPiece) {
    Wide some{};
    for (std::size_t i = 0; i < kPiece; i += sizeof(Wide)) {
      Wide here;
      Wide before;
      std::memcpy(&here, data + at + i, sizeof here);
      std::memcpy(&before, data + at + i - 1, sizeof before);
      some |= reinterpret_cast<Wide>((here == escape) | ((here == letter) & ((before - zero) < ten)));
    }
    std::array<std::uint64_t, sizeof(Wide) / 8> parts;
    std::memcpy(parts.data(), &some, sizeof some);
    std::uint64_t any = 0;
    for (const std::uint64_t part : parts) any |= part;
    if (any != 0) break;
  }
  return at;
}

using NextPiece = std::size_t (*)(const char*, std::size_t, std::size_t);

std::size_t piece_of_sixteen(const char* data, std::size_t at, std::size_t size) { return piece_with_colour<Bytes>(data, at, size); }

// Newlines in whole vectors from a place on, which it moves behind them.
template <typename Wide>
[[gnu::always_inline]] inline std::size_t newlines_in(std::string_view text, std::size_t& at) {
  const Wide newline = Wide{} + static_cast<std::uint8_t>('\n');
  std::size_t count = 0;
  while (text.size() - at >= sizeof(Wide)) {
    // A byte counts to 255 before its sum is taken.
    const std::size_t rounds = std::min<std::size_t>(255, (text.size() - at) / sizeof(Wide));
    Wide sums{};
    for (std::size_t i = 0; i < rounds; ++i, at += sizeof(Wide)) {
      Wide here;
      std::memcpy(&here, text.data() + at, sizeof here);
      sums -= reinterpret_cast<Wide>(here == newline);
    }
    std::array<std::uint8_t, sizeof(Wide)> each;
    std::memcpy(each.data(), &sums, sizeof sums);
    for (const std::uint8_t sum : each) count += sum;
  }
  return count;
}

using Newlines = std::size_t (*)(std::string_view, std::size_t&);

std::size_t newlines_by_sixteen(std::string_view text, std::size_t& at) { return newlines_in<Bytes>(text, at); }

#if defined(__x86_64__)
using TwiceBytes = std::uint8_t __attribute__((vector_size(32)));

[[gnu::target("avx2")]] std::size_t piece_of_thirty_two(const char* data, std::size_t at, std::size_t size) {
  return piece_with_colour<TwiceBytes>(data, at, size);
}

[[gnu::target("avx2")]] std::size_t newlines_by_thirty_two(std::string_view text, std::size_t& at) {
  return newlines_in<TwiceBytes>(text, at);
}

bool has_twice() { return __builtin_cpu_supports("avx2") != 0; }
#endif

NextPiece widest() {
#if defined(__x86_64__)
  if (has_twice()) return piece_of_thirty_two;
#endif
  return piece_of_sixteen;
}

Newlines widest_newlines() {
#if defined(__x86_64__)
  if (has_twice()) return newlines_by_thirty_two;
#endif
  return newlines_by_sixteen;
}

}  // namespace

std::size_t next_colour(std::string_view text, std::size_t from) {
  static const NextPiece next_piece = widest();
  for (std::size_t at = from; at < text.size();) {
    // A code ends with a digit and an "m": fewer places have both than have a bracket.
    if (at > from) at = next_piece(text.data(), at, text.size());
    const std::size_t end = std::min(text.size(), at + kPiece);
    for (; at < end; ++at) {
      if (text[at] == kEscape) return at;
      if (text[at] == 'm' && at > 0 && is_code_digit(text[at - 1]) && ends_colour(text, at)) return at;
    }
  }
  return std::string_view::npos;
}

void strip_colours(std::string_view text, std::string& plain) {
  plain.clear();
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const std::size_t end = c == kEscape ? sequence_end(text, at) : c == '[' ? bare_colour_end(text, at) : at;
    if (end == at) {
      ++at;
      continue;
    }
    plain.append(text, from, at - from);
    from = at = end;
  }
  plain.append(text, from);
}

std::size_t count_newlines(std::string_view text) {
  static const Newlines by_vectors = widest_newlines();
  std::size_t at = 0;
  std::size_t count = by_vectors(text, at);
  for (; at < text.size(); ++at) count += text[at] == '\n' ? 1 : 0;
  return count;
}

}  // namespace faultline
