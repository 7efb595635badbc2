// What is asked of each GPU, by number: its last answer is kept per GPU under that number. From readings.def.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/vendor/quantities.h"
#include "vendor/nvml/library.h"

namespace faultline::nvml {

// Calls that code of its own reads.
enum Reading : unsigned {
#define NVML_READ(reading, group, id, name, unit, of) reading,
#define NVML_ANSWER(reading, group) reading,
#include "vendor/nvml/readings.def"
  kAnswers,
};

// What is read together: a batch of fields, and the calls that come after it.
enum class Batch : std::uint8_t { kFast, kHeatAndPower, kMemory, kPcie, kState, kMargins, kLink, kLinkTotal };

// Fields that drivers disagree about.
enum class When : std::uint8_t { kAlways, kSlowdownTimes, kSmoothing };

inline constexpr double kAsBitErrorRate = 0;

struct Field {
  Batch batch;
  When when;
  unsigned id;
  Quantity quantity;
  Capability group;
  double scale;  // to the SI unit; kAsBitErrorRate: mantissa and exponent
};

// Batch by batch.
inline constexpr std::array kFields{
#define NVML_FIELD(batch, when, id, name, unit, of, group, field, header, scale) \
  Field{Batch::batch, When::when, field, Quantity::k##id, Capability::group, scale},
#define NVML_ALSO_FIELD(batch, when, constant, id, group, field, header, scale) \
  Field{Batch::batch, When::when, field, Quantity::k##id, Capability::group, scale},
#include "vendor/nvml/readings.def"
};

// The numbers: calls with code of their own, then the values, then the fields.
inline constexpr unsigned kFirstValue = kAnswers;
inline constexpr unsigned kFirstField = kFirstValue
#define NVML_VALUE(...) +1
#define NVML_VALUE_OF(...) +1
#define NVML_ALSO_VALUE(...) +1
#include "vendor/nvml/readings.def"
    ;
inline constexpr unsigned kReadings = kFirstField + kFields.size();

constexpr unsigned reading_of(const Field& field) { return kFirstField + static_cast<unsigned>(&field - kFields.data()); }
// Of the first field of that batch that gives the quantity.
constexpr unsigned reading_of(Batch batch, Quantity quantity) {
  for (const Field& field : kFields) {
    if (field.batch == batch && field.quantity == quantity) return reading_of(field);
  }
  return kReadings;
}

constexpr std::span<const Field> fields_of(Batch batch) {
  std::size_t first = 0;
  while (first < kFields.size() && kFields[first].batch != batch) ++first;
  std::size_t end = first;
  while (end < kFields.size() && kFields[end].batch == batch) ++end;
  return std::span(kFields).subspan(first, end - first);
}

// One unsigned number by a call, which has an argument or none.
struct ValueCall {
  Batch step;
  unsigned unless;  // the reading of a field in whose place the call is made; kReadings: it is always made
  Quantity quantity;
  Capability group;
  VendorCall call;
  Return (*Library::*plain)(Device, unsigned*);
  Return (*Library::*with_argument)(Device, unsigned, unsigned*);
  unsigned argument;
  double scale;
};

inline constexpr std::array kValues{
#define NVML_VALUE(step, id, name, unit, of, group, call, member, scale) \
  ValueCall{Batch::step,      kReadings,        Quantity::k##id, Capability::group, \
            VendorCall::call, &Library::member, nullptr,         0,                 scale},
#define NVML_VALUE_OF(step, id, name, unit, of, group, call, member, argument, scale) \
  ValueCall{Batch::step,      kReadings, Quantity::k##id,  Capability::group, \
            VendorCall::call, nullptr,   &Library::member, argument,          scale},
#define NVML_ALSO_VALUE(step, id, group, call, member, scale)                                           \
  ValueCall{Batch::step,      reading_of(Batch::step, Quantity::k##id), Quantity::k##id, Capability::group, \
            VendorCall::call, &Library::member,                         nullptr,         0,                 scale},
#include "vendor/nvml/readings.def"
};
static_assert(kFirstValue + kValues.size() == kFirstField);

constexpr unsigned reading_of(const ValueCall& value) { return kFirstValue + static_cast<unsigned>(&value - kValues.data()); }

// Which group of readings this one is of, for finding out which groups work.
Capability group_of(unsigned reading);

// Whether fields 269-271 are the slowdown times on this driver: NVML 12.9 and early 13.0 (drivers 575 to 580.82)
// numbered them otherwise, and there 269-271 are power-smoothing settings.
bool slowdown_times_are_known(std::string_view driver);
// Whether fields 251-268 are power smoothing: NVML 12.8 (driver 570) brought them there, and 13.0 update 2 took them back.
bool smoothing_fields_are_known(std::string_view driver);

}  // namespace faultline::nvml
