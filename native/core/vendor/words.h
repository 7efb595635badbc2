// The words that all vendors share for what a driver reports: a backend puts its library's own into these.
// The numbers are NVML's (nvml.h), since recordings and detectors carry them; src/ spells them out for people.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace faultline {

// Bits of the quantity `clock_event_reasons`: why the clocks are below what was asked for.
enum SlowdownWord : std::uint64_t {
  kSlowedIdle = 0x1,
  kSlowedByApplicationClocks = 0x2,
  kSlowedByPowerCap = 0x4,
  kSlowedByHardware = 0x8,  // covers the hardware's thermal slowdown and the power brake
  kSlowedBySyncBoost = 0x10,
  kSlowedBySoftwareThermal = 0x20,
  kSlowedByHardwareThermal = 0x40,
  kSlowedByPowerBrake = 0x80,
  kSlowedByDisplayClocks = 0x100,
};

// Value of a `device_lost` notice. Any other number is the library's own return code: the device fails.
enum LossWord : int {
  kLossFallenOff = 15,   // the device does not answer any more
  kLossNeedsReset = 16,  // it waits for a reset
};

// What a driver reports of a device besides errors that have a number of their own, by the name of the notice.
enum class EventWord : std::uint32_t {
  kXid,  // an error with a number of the driver's catalogue; a notice of its own
  kEccSingleBit,
  kEccDoubleBit,
  kEccSingleBitStorm,
  kDramRetirement,
  kDramRetirementFailure,
  kPoisonNonFatal,
  kPoisonFatal,
  kGpuUnavailable,
  kRecoveryAction,
  kClockChange,
  kPowerSourceChange,
  kMigConfigChange,
  kEnd,
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(EventWord::kEnd)> kEventWords{
    "xid",
    "ecc_single_bit",
    "ecc_double_bit",
    "ecc_single_bit_storm",
    "dram_retirement",
    "dram_retirement_failure",
    "poison_non_fatal",
    "poison_fatal",
    "gpu_unavailable",
    "recovery_action",
    "clock_change",
    "power_source_change",
    "mig_config_change",
};
static_assert(!kEventWords.back().empty());

constexpr std::string_view event_word(EventWord word) {
  const auto index = static_cast<std::size_t>(word);
  return index < kEventWords.size() ? kEventWords[index] : std::string_view{};
}

}  // namespace faultline
