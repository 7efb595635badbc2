// Which group each reading is of, and which drivers number their fields as we do.
#include "vendor/nvml/readings.h"

#include <charconv>
#include <optional>
#include <utility>

namespace faultline {
namespace {

constexpr Capability kCallGroups[]{
    Capability::kEventReasons,
    Capability::kTemperature,
    Capability::kTemperature,
    Capability::kClocks,
    Capability::kClocks,
    Capability::kPowerLimits,
    Capability::kUtilization,
    Capability::kPower,
    Capability::kEnergy,
    Capability::kClocks,
    Capability::kClocks,
    Capability::kClocks,
    Capability::kMemory,
    Capability::kMemory,
    Capability::kPowerLimits,
    Capability::kPowerLimits,
    Capability::kPowerLimits,
    Capability::kEcc,
    Capability::kEccPlaces,
    Capability::kEccPlaces,
    Capability::kEccPlaces,
    Capability::kEccPlaces,
    Capability::kEccPlaces,
    Capability::kPcieLink,
    Capability::kPcieLink,
    Capability::kPcieLink,
    Capability::kPcieLink,
    Capability::kPcieErrors,
    Capability::kThermalMargins,
    Capability::kThermalMargins,
    Capability::kThermalMargins,
    Capability::kThermalMargins,
    Capability::kThermalMargins,
    Capability::kNvlink,
    Capability::kNvlinkErrors,
    Capability::kFabric,
    Capability::kFabric,
    Capability::kFabric,
    Capability::kGpm,
    Capability::kGpm,
    Capability::kGpm,
    Capability::kMig,
    Capability::kMig,
    Capability::kEccPlaces,
    Capability::kGpm,
    Capability::kRemappedRows,
    Capability::kNvlinkErrors,
    Capability::kProcesses,
};
static_assert(std::size(kCallGroups) == kReadFastField);

struct Table {
  unsigned first;
  std::span<const Field> fields;
};
constexpr Table kTables[]{
    {kReadFastField, kFastFields}, {kReadHeatAndPower, kHeatAndPowerFields}, {kReadMemory, kMemoryFields},
    {kReadPcie, kPcieFields},      {kReadState, kStateFields},               {kReadMargins, kMarginFields},
    {kReadLink, kLinkFields},      {kReadLinkTotal, kLinkTotalFields},
};

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
  if (reading < kReadFastField) return kCallGroups[reading];
  for (const Table& table : kTables) {
    if (reading < table.first + table.fields.size()) return table.fields[reading - table.first].group;
  }
  return Capability::kEnd;
}

bool slowdown_times_are_known(std::string_view driver) { return version_of(driver).value_or(std::pair{0, 0}) >= std::pair{580, 95}; }

bool smoothing_fields_are_known(std::string_view driver) {
  return slowdown_times_are_known(driver) || version_of(driver).value_or(std::pair{0, 0}).first == 570;
}

}  // namespace faultline
