// Which group each reading is of, and which drivers number their fields as we do.
#include "vendor/nvml/readings.h"

#include <charconv>
#include <optional>
#include <utility>

namespace faultline::nvml {
namespace {

constexpr Capability kAnswerGroups[]{
#define NVML_READ(reading, group, id, name, unit, of) Capability::group,
#define NVML_ANSWER(reading, group) Capability::group,
#include "vendor/nvml/readings.def"
};
static_assert(std::size(kAnswerGroups) == kAnswers);

// A batch's fields are one piece of the table.
constexpr bool batches_are_whole() {
  for (std::size_t i = 1; i < kFields.size(); ++i) {
    if (kFields[i].batch < kFields[i - 1].batch) return false;
  }
  return true;
}
static_assert(batches_are_whole());

std::optional<std::pair<int, int>> version_of(std::string_view driver) {
  int major = 0, minor = 0;
  const char* end = driver.data() + driver.size();
  const auto parsed = std::from_chars(driver.data(), end, major);
  if (parsed.ec != std::errc{} || parsed.ptr == end || *parsed.ptr != '.') return std::nullopt;
  if (std::from_chars(parsed.ptr + 1, end, minor).ec != std::errc{}) return std::nullopt;
  return std::pair{major, minor};
}

}  // namespace

Capability group_of(unsigned reading) {
  if (reading < kFirstValue) return kAnswerGroups[reading];
  if (reading < kFirstField) return kValues[reading - kFirstValue].group;
  return reading < kReadings ? kFields[reading - kFirstField].group : Capability::kEnd;
}

bool slowdown_times_are_known(std::string_view driver) { return version_of(driver).value_or(std::pair{0, 0}) >= std::pair{580, 95}; }

bool smoothing_fields_are_known(std::string_view driver) {
  return slowdown_times_are_known(driver) || version_of(driver).value_or(std::pair{0, 0}).first == 570;
}

}  // namespace faultline::nvml
