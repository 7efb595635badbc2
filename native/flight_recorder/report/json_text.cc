// Writes JSON: text from a dump is made valid and harmless on its way out.
#include "flight_recorder/report/json_text.h"

#include <chrono>
#include <cmath>
#include <cstdio>

namespace faultline::flight_recorder {
namespace {

// One code point; 0xfffd for what is not UTF-8. `length` is what it took.
std::uint32_t point_at(std::string_view text, std::size_t at, std::size_t& length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  length = 1;
  if (lead < 0x80) return lead;
  const std::size_t more = lead >= 0xf0 && lead < 0xf5 ? 3 : lead >= 0xe0 && lead < 0xf0 ? 2 : lead >= 0xc2 && lead < 0xe0 ? 1 : 0;
  if (more == 0 || at + more >= text.size()) return 0xfffd;
  std::uint32_t point = lead & (0x3f >> more);
  for (std::size_t i = 1; i <= more; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0xfffd;
    point = (point << 6) | (byte(at + i) & 0x3f);
  }
  static constexpr std::uint32_t LEAST[] = {0, 0x80, 0x800, 0x10000};
  if (point < LEAST[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return 0xfffd;
  length = more + 1;
  return point;
}

// Controls, and marks that turn the direction of text or hide it.
bool hidden(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x200b && point <= 0x200f) ||
         (point >= 0x2028 && point <= 0x202e) || (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
}

}  // namespace

void JsonText::quote(std::string_view text) {
  text_ += '"';
  const bool cut = text.size() > max_text_;
  const std::string_view shown = text.substr(0, max_text_);
  for (std::size_t at = 0, length = 0; at < shown.size(); at += length) {
    const std::uint32_t point = point_at(shown, at, length);
    if (point == '"' || point == '\\') {
      text_ += '\\';
      text_ += static_cast<char>(point);
    } else if (hidden(point) || point == 0xfffd) {
      text_ += "\xef\xbf\xbd";
    } else {
      text_ += shown.substr(at, length);
    }
  }
  if (cut) text_ += "\xe2\x80\xa6";
  text_ += '"';
}

JsonText& JsonText::number(double number, int digits) {
  if (!std::isfinite(number)) return null();
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  comma();
  text_ += text;
  return *this;
}

JsonText& JsonText::time(std::int64_t ns) {
  if (ns <= 0) return null();
  // Not gmtime: it opens the time zone's file, and whoever reads dumps may have no right to open anything.
  using namespace std::chrono;
  const nanoseconds since(ns);
  const sys_days day = floor<days>(sys_time<nanoseconds>(since));
  const year_month_day date(day);
  const hh_mm_ss clock(since - day.time_since_epoch());
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%09lldZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
                static_cast<long long>(clock.subseconds().count()));
  return value(std::string_view(text));
}

}  // namespace faultline::flight_recorder
