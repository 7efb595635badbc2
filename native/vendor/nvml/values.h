// Numbers as the library gives them, told apart from the numbers that stand for "no value".
#pragma once

#include "core/vendor/plausible.h"
#include "vendor/nvml/abi.h"

namespace faultline::nvml {

// The number in a field value, by the type it says it has; NaN for what stands for "no value" and for unknown types.
double field_number(const FieldValue& field);
// A ratio out of what NVML packs it in: mantissa in bits 8 to 11, negative decimal exponent in bits 0 to 7.
double bit_error_rate(double packed);
double number_of(unsigned value);
double number_of(unsigned long long value);

}  // namespace faultline::nvml
