// Numbers as the library gives them, told from the numbers that stand for "no value".
#pragma once

#include "core/vendor/quantities.h"
#include "vendor/nvml_abi.h"

namespace faultline {

// The number in a field value, by the type it says it has; NaN for what stands for "no value" and for unknown types.
double field_number(const nvml::FieldValue& field);
double number_of(unsigned value);
double number_of(unsigned long long value);

// Whether the quantity can have this value at all, in its SI unit.
bool is_plausible(Quantity quantity, double value);

}  // namespace faultline
