// Numbers that stand for "no value" wherever they come from: libraries and boards write them in place of a reading.
#pragma once

namespace faultline {

// DCGM's blanks and their reasons (dcgm_fields.h: 0x7ffffff0 to 0x7ffffff3, 0x7ffffffffffffff0 and above, 2^47 for
// doubles), all ones of 32 bits (also as milliwatts that became watts), and whatever no double holds exactly any more.
constexpr bool is_blank(double value) {
  constexpr double kAllOnes32 = 4294967295.0;
  if (value >= 9223372036854775792.0) return true;
  if (value >= 2147483632.0 && value <= 2147483635.0) return true;
  return value == kAllOnes32 || value == kAllOnes32 / 1000 || value == 140737488355328.0;
}

}  // namespace faultline
