// Summaries of many hosts in one file: found and taken out of the texts that they are wrapped in.
#include "flight_recorder/summary/summary_lines.h"

#include <algorithm>
#include <string>

namespace faultline::flight_recorder {
namespace {

constexpr std::string_view BARE = R"({"schema":"faultline/fr-summary/1")";
constexpr std::string_view QUOTED = R"("{\"schema\":\"faultline/fr-summary/1\")";
constexpr std::string_view OTLP = R"({"resourceLogs")";

std::string_view text_of(std::span<const unsigned char> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

int hex(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// The JSON text that begins behind its quote, and the length it takes there. A summary's own JSON is read from it, which
// judges what it says: here an escape that is none stays as it is.
std::size_t unquote(std::string_view from, std::string& text) {
  text.clear();
  std::size_t at = 0;
  while (at < from.size() && from[at] != '"' && from[at] != '\n') {
    if (from[at] != '\\' || at + 1 >= from.size()) {
      text += from[at++];
      continue;
    }
    const char escaped = from[at + 1];
    at += 2;
    switch (escaped) {
      case 'n': text += '\n'; break;
      case 't': text += '\t'; break;
      case 'r': text += '\r'; break;
      case 'b': text += '\b'; break;
      case 'f': text += '\f'; break;
      case 'u': {
        int unit = 0;
        for (std::size_t i = 0; i < 4 && unit >= 0; ++i) {
          const int digit = at + i < from.size() ? hex(from[at + i]) : -1;
          unit = digit < 0 ? -1 : unit * 16 + digit;
        }
        if (unit < 0 || unit >= 0x80) {
          text += "\\u";  // the summary's JSON knows the same escape
          break;
        }
        text += static_cast<char>(unit);
        at += 4;
        break;
      }
      default: text += escaped;
    }
  }
  return at;
}

}  // namespace

bool holds_summaries(std::span<const unsigned char> bytes) {
  return text_of(bytes).starts_with(BARE) || text_of(bytes).starts_with(OTLP);
}

void each_summary(std::span<const unsigned char> bytes, const std::function<void(std::uint64_t, std::string_view)>& take) {
  const std::string_view all = text_of(bytes);
  std::string text;
  for (std::size_t line = 0; line < all.size();) {
    const std::size_t end = std::min(all.find('\n', line), all.size());
    const std::string_view here = all.substr(line, end - line);
    if (here.starts_with(BARE)) {
      take(line, here);
    } else {
      for (std::size_t at = here.find(QUOTED); at != std::string_view::npos; at = here.find(QUOTED, at)) {
        const std::size_t begins = at + 1;
        at = begins + unquote(here.substr(begins), text);
        take(line + begins, text);
      }
    }
    line = end + 1;
  }
}

}  // namespace faultline::flight_recorder
