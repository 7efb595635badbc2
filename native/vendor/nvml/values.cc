// Numbers as the library gives them, told apart from the numbers that stand for "no value".
#include "vendor/nvml/values.h"

#include <cmath>
#include <limits>

namespace faultline::nvml {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
// The last sixteen of each width: NVML has the very last, layers above it (DCGM's blanks) the ones before. A counter that
// passes through one of them is missing once.
constexpr unsigned long long kBlanks = 16;
constexpr unsigned long long kHighest32 = 0xffffffff, kHighestSigned32 = 0x7fffffff;
constexpr unsigned long long kHighest64 = ~0ULL, kHighestSigned64 = 0x7fffffffffffffff;
constexpr double kBlankDouble = 140737488355328.0;

constexpr bool at_end(unsigned long long value, unsigned long long highest) {
  return value <= highest && highest - value < kBlanks;
}

double number_of(long long value) {
  if (value < 0) return static_cast<double>(value);
  const auto magnitude = static_cast<unsigned long long>(value);
  return at_end(magnitude, kHighestSigned64) || at_end(magnitude, kHighestSigned32) ? kAbsent : static_cast<double>(value);
}

}  // namespace

double number_of(unsigned value) {
  return at_end(value, kHighest32) || at_end(value, kHighestSigned32) ? kAbsent : value;
}

double number_of(unsigned long long value) {
  const bool blank = at_end(value, kHighest64) || at_end(value, kHighestSigned64) || at_end(value, kHighest32) ||
                     at_end(value, kHighestSigned32);
  return blank ? kAbsent : static_cast<double>(value);
}

double bit_error_rate(double packed) {
  if (!(packed >= 0 && packed <= 0xfff)) return kAbsent;
  const auto bits = static_cast<unsigned>(packed);
  const int exponent = static_cast<int>(bits & 0xff);
  // 15e-255 is what a link without an error has.
  return exponent == 0xff ? 0 : static_cast<double>(bits >> 8) * std::pow(10.0, -exponent);
}

double field_number(const FieldValue& field) {
  switch (field.valueType) {
    case kValueDouble:
      return std::isfinite(field.value.dVal) && field.value.dVal < kBlankDouble ? field.value.dVal : kAbsent;
    case kValueUnsigned:
      return number_of(field.value.uiVal);
    case kValueUnsignedLong:
      return number_of(static_cast<unsigned long long>(field.value.ulVal));
    case kValueUnsignedLongLong:
      return number_of(field.value.ullVal);
    case kValueSignedLongLong:
      return number_of(field.value.sllVal);
    case kValueSigned:
      return number_of(static_cast<long long>(field.value.siVal));
    case kValueUnsignedShort:
      return field.value.usVal;
    default:
      return kAbsent;
  }
}

}  // namespace faultline::nvml
