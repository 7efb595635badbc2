// What the integer in a file of sysfs says: a counter, a power, a temperature, or nothing.
#include "core/files/number.h"

#include <cmath>
#include <cstdint>

namespace faultline {
namespace {

constexpr std::size_t kMostDigits = 20;
constexpr double kTwo63 = 9223372036854775808.0;
constexpr double kTwo64 = 18446744073709551616.0;
// Drivers scale what firmware gave: the sentinel shows at each of these scales.
constexpr double kScales[] = {1, 1e3, 1e6};

// The largest values of the narrower integer types, DCGM's blanks of 32 and 64 bits and of a double (dcgm_fields.h).
bool is_sentinel(double raw) {
  const double size = std::abs(raw);
  if (size >= kTwo63) return true;
  for (const double scale : kScales) {
    const double value = size / scale;
    if (value == 0x7fff || value == 0xffff || value == 4294967295.0 || value == 140737488355328.0) return true;
    if (value >= 2147483632.0 && value <= 2147483647.0) return true;
  }
  return false;
}

std::optional<double> within(std::string_view text, double unit, double least, double most) {
  const auto raw = parse_integer(text);
  if (!raw || is_sentinel(*raw)) return std::nullopt;
  const double value = *raw / unit;
  if (!(value >= least && value <= most)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> parse_integer(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  std::uint64_t number = 0;
  bool wide = false;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    wide = wide || number > (UINT64_MAX - digit) / 10;
    number = number * 10 + digit;
  }
  // Past 64 bits no rule below takes it, whatever it is.
  const double value = wide ? kTwo64 : static_cast<double>(number);
  return negative ? -value : value;
}

std::optional<double> counter_of(std::string_view text) {
  const auto value = parse_integer(text);
  if (!value || *value < 0 || *value >= kTwo64) return std::nullopt;
  return value;
}

std::optional<double> power_of(std::string_view text) { return within(text, 1e6, 0, 20'000); }
std::optional<double> temperature_of(std::string_view text) { return within(text, 1e3, -50, 200); }

}  // namespace faultline
