// What the integer in a file of sysfs says: a counter, a power, a temperature, or nothing. The same rules as src/sources/files/sentinel.ts.
#pragma once

#include <optional>
#include <string_view>

namespace faultline {

// An integer as sysfs writes it, at most 20 digits, as the nearest double; nothing when the text is anything else.
std::optional<double> parse_integer(std::string_view text);
// Not negative, and not all bits of 64 set: what a dead device answers.
std::optional<double> counter_of(std::string_view text);
// W of the µW of hwmon; nothing for sentinels and for what no board draws (20 kW).
std::optional<double> power_of(std::string_view text);
// °C of the m°C of hwmon; nothing for sentinels and outside of -50 to 200.
std::optional<double> temperature_of(std::string_view text);

}  // namespace faultline
