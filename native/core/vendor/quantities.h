// What a vendor child samples: quantities by number in the shared ring, and their names in the series' keys; all from the
// vendors' tables (vendor/backends.def).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace faultline {

// SI, and what has no unit: a ratio is 0..1, a number is a word's or has bits.
enum class Unit : std::uint8_t {
  kWatt,
  kJoule,
  kCelsius,
  kHertz,
  kSecond,
  kByte,
  kBytePerSecond,
  kRatio,
  kErrorRate,
  kCount,
  kNumber,
  kPerformanceState,  // 0 (fastest) to 15
};

// What may have it: the GPU alone; one of its links or all of them together; the GPU or one MIG instance.
enum class QuantityOf : std::uint8_t { kGpu, kLink, kGpuOrInstance };

enum class Quantity : std::uint32_t {
  kLibraryTime,
#define QUANTITY(id, name, unit, of) k##id,
#include "vendor/backends.def"
  kEnd,
};

// `library_time`: counter of the time spent in the vendor library for this device.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Quantity::kEnd)> kQuantityNames{
    "library_time",
#define QUANTITY(id, name, unit, of) name,
#include "vendor/backends.def"
};
inline constexpr std::array<Unit, kQuantityNames.size()> kQuantityUnits{
    Unit::kSecond,
#define QUANTITY(id, name, unit, of) Unit::unit,
#include "vendor/backends.def"
};
inline constexpr std::array<QuantityOf, kQuantityNames.size()> kQuantityOf{
    QuantityOf::kGpu,
#define QUANTITY(id, name, unit, of) QuantityOf::of,
#include "vendor/backends.def"
};

constexpr Unit unit_of(Quantity quantity) { return kQuantityUnits[static_cast<std::size_t>(quantity)]; }
constexpr bool is_of_link(Quantity quantity) {
  return kQuantityOf[static_cast<std::size_t>(quantity)] == QuantityOf::kLink;
}
constexpr bool is_of_instance(Quantity quantity) {
  return kQuantityOf[static_cast<std::size_t>(quantity)] == QuantityOf::kGpuOrInstance;
}

// Groups of readings that a GPU gives or not: `doctor` and `probe gpu` show them.
#define FAULTLINE_CAPABILITIES(CAPABILITY)             \
  CAPABILITY(kPower, "power")                          \
  CAPABILITY(kEnergy, "energy")                        \
  CAPABILITY(kTemperature, "temperature")              \
  CAPABILITY(kClocks, "clocks")                        \
  CAPABILITY(kEventReasons, "clock_event_reasons")     \
  CAPABILITY(kSlowdownTimes, "slowdown_times")         \
  CAPABILITY(kUtilization, "utilization")              \
  CAPABILITY(kMemoryTemperature, "memory_temperature") \
  CAPABILITY(kThermalMargins, "thermal_margins")       \
  CAPABILITY(kPowerLimits, "power_limits")             \
  CAPABILITY(kViolations, "violations")                \
  CAPABILITY(kMemory, "memory")                        \
  CAPABILITY(kEcc, "ecc")                              \
  CAPABILITY(kEccPlaces, "ecc_places")                 \
  CAPABILITY(kRemappedRows, "remapped_rows")           \
  CAPABILITY(kRetiredPages, "retired_pages")           \
  CAPABILITY(kPcieLink, "pcie_link")                   \
  CAPABILITY(kPcieErrors, "pcie_errors")               \
  CAPABILITY(kPcieThroughput, "pcie_throughput")       \
  CAPABILITY(kNvlink, "nvlink")                        \
  CAPABILITY(kNvlinkErrors, "nvlink_errors")           \
  CAPABILITY(kNvlinkThroughput, "nvlink_throughput")   \
  CAPABILITY(kFabric, "fabric")                        \
  CAPABILITY(kRecoveryAction, "recovery_action")       \
  CAPABILITY(kC2c, "c2c")                              \
  CAPABILITY(kPowerSmoothing, "power_smoothing")       \
  CAPABILITY(kGpm, "gpm")                              \
  CAPABILITY(kMig, "mig")                              \
  CAPABILITY(kProcesses, "processes")                  \
  CAPABILITY(kEvents, "events")

enum class Capability : std::uint32_t {
#define CAPABILITY(id, name) id,
  FAULTLINE_CAPABILITIES(CAPABILITY)
#undef CAPABILITY
  kEnd,
};

inline constexpr std::array kCapabilityNames{
#define CAPABILITY(id, name) std::string_view{name},
    FAULTLINE_CAPABILITIES(CAPABILITY)
#undef CAPABILITY
};

}  // namespace faultline
