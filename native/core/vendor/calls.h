// The library calls that a vendor child can be stuck in, by number, so that its supervisor can name them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace faultline {

enum class VendorCall : std::uint32_t {
  kDlopen,
  kInit,
  kShutdown,
  kDriverVersion,
  kCount,
  kHandleByIndex,
  kUuid,
  kName,
  kSerial,
  kPciInfo,
  kMinorNumber,
  kFieldValues,
  kEventReasons,
  kTemperatureV,
  kTemperature,
  kTemperatureThreshold,
  kClockInfo,
  kEnforcedPowerLimit,
  kPowerUsage,
  kTotalEnergy,
  kUtilization,
  kEventSetCreate,
  kSupportedEventTypes,
  kRegisterEvents,
  kEventSetWait,
  kEventSetFree,
  kEnd,
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(VendorCall::kEnd)> kVendorCallNames{
    "dlopen",
    "nvmlInit_v2",
    "nvmlShutdown",
    "nvmlSystemGetDriverVersion",
    "nvmlDeviceGetCount_v2",
    "nvmlDeviceGetHandleByIndex_v2",
    "nvmlDeviceGetUUID",
    "nvmlDeviceGetName",
    "nvmlDeviceGetSerial",
    "nvmlDeviceGetPciInfo_v3",
    "nvmlDeviceGetMinorNumber",
    "nvmlDeviceGetFieldValues",
    "nvmlDeviceGetCurrentClocksEventReasons",
    "nvmlDeviceGetTemperatureV",
    "nvmlDeviceGetTemperature",
    "nvmlDeviceGetTemperatureThreshold",
    "nvmlDeviceGetClockInfo",
    "nvmlDeviceGetEnforcedPowerLimit",
    "nvmlDeviceGetPowerUsage",
    "nvmlDeviceGetTotalEnergyConsumption",
    "nvmlDeviceGetUtilizationRates",
    "nvmlEventSetCreate",
    "nvmlDeviceGetSupportedEventTypes",
    "nvmlDeviceRegisterEvents",
    "nvmlEventSetWait_v2",
    "nvmlEventSetFree",
};
static_assert(!kVendorCallNames.back().empty());

// How long the event thread waits inside the library when nothing happens; its deadline is longer by this.
inline constexpr std::int64_t kEventWaitMs = 300;

constexpr std::string_view vendor_call_name(VendorCall call) {
  const auto index = static_cast<std::size_t>(call);
  return index < kVendorCallNames.size() ? kVendorCallNames[index] : std::string_view{};
}

// What a vendor child samples. Names are the series' quantities; units are SI.
enum class Quantity : std::uint32_t {
  kPower,
  kEnergy,
  kTemperature,
  kSmClock,
  kMemoryClock,
  kPowerLimit,
  kEventReasons,
  kTemperatureLimit,
  kUtilization,
  kTimePowerCap,
  kTimeSwThermal,
  kTimeHwThermal,
  kTimePowerBrake,
  kLibraryTime,
  kEnd,
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Quantity::kEnd)> kQuantityNames{
    "power",              // W
    "energy",             // J, counter since the driver was loaded
    "temperature",        // Cel
    "sm_clock",           // Hz
    "memory_clock",       // Hz
    "power_limit",        // W, the enforced one
    "clock_event_reasons",  // NVML's bit mask as a number
    "temperature_limit",  // Cel, slowdown threshold
    "utilization",        // 0..1
    "power_cap_time",     // s, counters of time spent slowed down, by cause
    "sw_thermal_time",
    "hw_thermal_time",
    "power_brake_time",
    "library_time",       // s, counter of the time spent in the vendor library for this device
};
static_assert(!kQuantityNames.back().empty());

}  // namespace faultline
