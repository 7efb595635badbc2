// Parses what /dev/kmsg gives: `prio,seq,usec,flags[,...];text`, escapes and all. The text may be hostile.
#include "core/kernel_log/kmsg.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace faultline {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Takes the digits up to the next comma or the end; the comma is consumed.
template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const std::size_t end = std::min(text.find(','), text.size());
  const char* last = text.data() + end;
  if (end == 0 || text[0] < '0' || text[0] > '9') return false;
  const auto [stopped, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || stopped != last) return false;
  text.remove_prefix(std::min(end + 1, text.size()));
  return true;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string unescape(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x') {
      const int high = hex_digit(text[i + 2]);
      const int low = hex_digit(text[i + 3]);
      if (high >= 0 && low >= 0) {
        bytes.push_back(static_cast<char>(high * 16 + low));
        i += 3;
        continue;
      }
    }
    bytes.push_back(text[i]);
  }
  return bytes;
}

// Length of the well-formed UTF-8 sequence at the start (Unicode 15, table 3-7), 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  const auto tail = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned least = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned most = first == 0xED ? 0x9F : 0xBF;  // no surrogates
    return byte(1) >= least && byte(1) <= most && tail(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned least = first == 0xF0 ? 0x90 : 0x80;
    const unsigned most = first == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= least && byte(1) <= most && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string decode_kmsg_text(std::string_view text) {
  const std::string bytes = unescape(text);
  std::string clean;
  clean.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size();) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool control = (byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F;
    const std::size_t length = control ? 0 : utf8_length(std::string_view(bytes).substr(i));
    if (length == 0) {
      clean += kReplacement;
      ++i;
    } else {
      clean.append(bytes, i, length);
      i += length;
    }
  }
  return clean;
}

std::optional<KmsgRecord> parse_kmsg(std::string_view record) {
  std::string_view text;
  auto parsed = parse_kmsg_head(record, text);
  if (parsed) parsed->text = decode_kmsg_text(text);
  return parsed;
}

std::optional<KmsgRecord> parse_kmsg_head(std::string_view record, std::string_view& text) {
  record = record.substr(0, std::min(record.find('\n'), kMaxKmsgBytes));
  const std::size_t semicolon = record.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  std::string_view head = record.substr(0, semicolon);
  std::uint32_t prefix = 0;
  std::uint64_t usec = 0;
  KmsgRecord parsed;
  if (!take_number(head, prefix) || !take_number(head, parsed.sequence) || !take_number(head, usec)) return std::nullopt;
  constexpr std::uint64_t kMaxUsec = INT64_MAX / 1000;
  constexpr std::uint64_t kMaxExact = std::uint64_t{1} << 53;  // a sequence crosses to JavaScript as a double
  // The kernel's facilities are a byte (LOG_FACMASK is 0x3f8, room for 127).
  if (usec > kMaxUsec || parsed.sequence > kMaxExact || prefix > 0x7FF) return std::nullopt;
  parsed.priority = static_cast<int>(prefix & 7);
  parsed.facility = static_cast<int>(prefix >> 3);
  // The log's clock is the scheduler's, which runs with CLOCK_MONOTONIC to within drift.
  parsed.monotonic_ns = static_cast<std::int64_t>(usec * 1000);
  // 'c' and '+' mark pieces of one line (LOG_CONT), which come apart where processors write at once.
  const std::string_view flags = head.substr(0, head.find(','));
  parsed.fragment = flags.find('c') != std::string_view::npos || flags.find('+') != std::string_view::npos;
  text = record.substr(semicolon + 1);
  return parsed;
}

}  // namespace faultline
