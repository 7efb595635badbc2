// What a vendor child samples: quantities by number in the shared ring, and their names in the series' keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace faultline {

// Units are SI; a ratio is 0..1. "Counter" runs up and starts again with the driver.
enum class Quantity : std::uint32_t {
  // Fast lane.
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
  // Slow lane, of a GPU.
  kMemoryTemperature,
  kMarginGpu,
  kMarginMemory,
  kMarginSlowdown,
  kMarginShutdown,
  kSmClockMax,
  kMemoryClockMax,
  kPerformanceState,
  kMemoryUsed,
  kMemoryTotal,
  kPowerLimitDefault,
  kPowerLimitMin,
  kPowerLimitMax,
  kPowerLimitRequested,
  kViolationThermal,
  kViolationSyncBoost,
  kViolationBoardLimit,
  kViolationLowUtilization,
  kViolationReliability,
  kViolationAppClocks,
  kViolationBaseClocks,
  kEccMode,
  kEccCorrected,
  kEccUncorrected,
  kEccCorrectedLifetime,
  kEccUncorrectedLifetime,
  kEccSramCorrected,
  kEccSramUncorrected,
  kEccDramCorrected,
  kEccDramUncorrected,
  kEccSramThreshold,
  kRemapCorrected,
  kRemapUncorrected,
  kRemapPending,
  kRemapFailed,
  kRemapCorrectedInactive,
  kRemapUncorrectedInactive,
  kRemapBanksFull,
  kRemapBanksHigh,
  kRemapBanksPartial,
  kRemapBanksLow,
  kRemapBanksNone,
  kBankRemapActive,
  kBankRemapInactive,
  kBankRemapPending,
  kBankRemapGroupsFull,
  kBankRemapGroupsNone,
  kRetiredPagesSbe,
  kRetiredPagesDbe,
  kRetiredPagesPending,
  kPcieGeneration,
  kPcieWidth,
  kPcieGenerationMax,
  kPcieWidthMax,
  kPcieReplays,
  kPcieRecoveries,
  kPcieCorrectable,
  kPcieNaksReceived,
  kPcieReceiverErrors,
  kPcieBadTlp,
  kPcieNaksSent,
  kPcieBadDllp,
  kPcieNonfatal,
  kPcieFatal,
  kPcieUnsupported,
  kPcieLcrcErrors,
  kPcieLaneErrors,
  kPcieTx,
  kPcieRx,
  kNvlinks,
  kNvlinksActive,
  kFabricState,
  kFabricStatus,
  kFabricHealth,
  kRecoveryAction,
  kResetRequired,
  kDrainResetRequired,
  kC2cLinks,
  kC2cStatus,
  kC2cReplays,
  kPowerSmoothing,
  kPowerSmoothingCeiling,
  kPowerSmoothingFloor,
  kPowerSmoothingLifetime,
  kPowerSmoothingProfile,
  kSmUtilization,
  kSmOccupancy,
  kTensorUtilization,
  kDramUtilization,
  kGpmPcieTx,
  kGpmPcieRx,
  kGpmNvlinkTx,
  kGpmNvlinkRx,
  kMigMode,
  // Slow lane, of a link (SampleRecord::scope); the last two also of all links of a GPU together.
  kNvlinkState,
  kNvlinkReplays,
  kNvlinkRecoveries,
  kNvlinkRecoveriesFailed,
  kNvlinkCrcErrors,
  kNvlinkSymbolErrors,
  kNvlinkEffectiveErrors,
  kNvlinkSymbolBer,
  kNvlinkEffectiveBer,
  kNvlinkFecCorrected,
  kNvlinkFecWorst,
  kNvlinkMalformed,
  kNvlinkBufferOverruns,
  kNvlinkReceiveErrors,
  kNvlinkIntegrityErrors,
  kNvlinkTx,
  kNvlinkRx,
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
    "utilization",        // ratio
    "power_cap_time",     // s, counters of time spent slowed down, by cause
    "sw_thermal_time",
    "hw_thermal_time",
    "power_brake_time",
    "library_time",       // s, counter of the time spent in the vendor library for this device

    "memory_temperature",  // Cel
    "margin_gpu",          // Cel left to the highest operating temperature of the GPU, of its memory,
    "margin_memory",
    "margin_slowdown",     // to the hardware's slowdown,
    "margin_shutdown",     // to its shutdown; below zero when beyond
    "sm_clock_max",        // Hz
    "memory_clock_max",    // Hz
    "performance_state",   // 0 (fastest) to 15
    "memory_used",         // bytes
    "memory_total",        // bytes
    "power_limit_default",  // W
    "power_limit_min",
    "power_limit_max",
    "power_limit_requested",
    "violation_thermal_time",  // s, counters: clocks were below what was asked for, because of ...
    "violation_sync_boost_time",
    "violation_board_limit_time",
    "violation_low_utilization_time",
    "violation_reliability_time",
    "violation_app_clocks_time",
    "violation_base_clocks_time",
    "ecc_mode",                 // 0 off, 1 on
    "ecc_corrected",            // counters since the driver was loaded
    "ecc_uncorrected",
    "ecc_corrected_lifetime",   // counters that outlive the driver
    "ecc_uncorrected_lifetime",
    "ecc_sram_corrected",       // counters since the driver was loaded, by place
    "ecc_sram_uncorrected",
    "ecc_dram_corrected",
    "ecc_dram_uncorrected",
    "ecc_sram_threshold",       // 1: the driver's threshold of uncorrected SRAM errors is passed
    "remap_corrected",          // rows remapped after corrected errors
    "remap_uncorrected",
    "remap_pending",            // 1: a remapping waits for a reset
    "remap_failed",             // 1: a remapping failed
    "remap_corrected_inactive",
    "remap_uncorrected_inactive",
    "remap_banks_full",         // banks by the spare rows they have left: all of them, many, some, few,
    "remap_banks_high",
    "remap_banks_partial",
    "remap_banks_low",
    "remap_banks_none",         // none: the next faulty row of such a bank cannot be remapped
    "bank_remap_active",        // whole banks that were remapped
    "bank_remap_inactive",
    "bank_remap_pending",       // 1: a remapping waits for a reset
    "bank_remap_groups_full",   // groups of banks that have all of their spares, and none
    "bank_remap_groups_none",
    "retired_pages_sbe",
    "retired_pages_dbe",
    "retired_pages_pending",    // 1: a retirement waits for a reset
    "pcie_generation",
    "pcie_width",               // lanes
    "pcie_generation_max",      // of the card in this slot
    "pcie_width_max",
    "pcie_replays",             // counters
    "pcie_recoveries",
    "pcie_correctable",
    "pcie_naks_received",
    "pcie_receiver_errors",
    "pcie_bad_tlp",
    "pcie_naks_sent",
    "pcie_bad_dllp",
    "pcie_nonfatal",
    "pcie_fatal",
    "pcie_unsupported",
    "pcie_lcrc_errors",
    "pcie_lane_errors",
    "pcie_tx",                  // bytes, counter
    "pcie_rx",
    "nvlinks",                  // how many the GPU has
    "nvlinks_active",           // of those, how many are up
    "fabric_state",             // 0 none, 1 not started, 2 in progress, 3 completed
    "fabric_status",            // NVML return code of the registration, once completed
    "fabric_health",            // NVML's health mask as a number
    "recovery_action",          // 0 none, 1 reset, 2 reboot, 3 drain peer-to-peer, 4 drain and reset, 5 recover IMEX domain, 6 bus reset, 7 system reboot
    "reset_required",
    "drain_reset_required",
    "c2c_links",
    "c2c_status",
    "c2c_replays",              // counter
    "power_smoothing",          // 0 off, 1 on
    "power_smoothing_ceiling",  // W
    "power_smoothing_floor",    // W
    "power_smoothing_lifetime",  // ratio left
    "power_smoothing_profile",
    "sm_utilization",           // ratios over the time since the slow lane's last look
    "sm_occupancy",
    "tensor_utilization",
    "dram_utilization",
    "gpm_pcie_tx",              // bytes/s over the same time
    "gpm_pcie_rx",
    "gpm_nvlink_tx",
    "gpm_nvlink_rx",
    "mig_mode",                 // 0 off, 1 on

    "nvlink_state",             // 0 down, 1 up, 2 asleep
    "nvlink_replays",           // counters
    "nvlink_recoveries",
    "nvlink_recoveries_failed",
    "nvlink_crc_errors",
    "nvlink_symbol_errors",
    "nvlink_effective_errors",
    "nvlink_symbol_ber",        // bit error rates: ratios
    "nvlink_effective_ber",
    "nvlink_fec_corrected",     // blocks that error correction mended, counter
    "nvlink_fec_worst",         // the most symbols that it ever mended in one block, 0 to 15
    "nvlink_malformed",
    "nvlink_buffer_overruns",
    "nvlink_receive_errors",
    "nvlink_integrity_errors",
    "nvlink_tx",                // bytes, counters
    "nvlink_rx",
};
static_assert(!kQuantityNames.back().empty());

// Whether the quantity can be one link's.
constexpr bool is_of_link(Quantity quantity) { return quantity >= Quantity::kNvlinkState && quantity < Quantity::kEnd; }

// Whether the quantity can be one MIG instance's.
constexpr bool is_of_instance(Quantity quantity) {
  return quantity == Quantity::kEccSramUncorrected ||
         (quantity >= Quantity::kSmUtilization && quantity <= Quantity::kDramUtilization);
}

// What a GPU can or cannot tell, group by group: `doctor` and `probe gpu` show it.
enum class Capability : std::uint32_t {
  kPower,
  kEnergy,
  kTemperature,
  kClocks,
  kEventReasons,
  kSlowdownTimes,
  kUtilization,
  kMemoryTemperature,
  kThermalMargins,
  kPowerLimits,
  kViolations,
  kMemory,
  kEcc,
  kEccPlaces,
  kRemappedRows,
  kRetiredPages,
  kPcieLink,
  kPcieErrors,
  kPcieThroughput,
  kNvlink,
  kNvlinkErrors,
  kNvlinkThroughput,
  kFabric,
  kRecoveryAction,
  kC2c,
  kPowerSmoothing,
  kGpm,
  kMig,
  kProcesses,
  kEvents,
  kEnd,
};

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Capability::kEnd)> kCapabilityNames{
    "power",         "energy",        "temperature",  "clocks",          "clock_event_reasons", "slowdown_times",
    "utilization",   "memory_temperature", "thermal_margins", "power_limits", "violations",     "memory",
    "ecc",           "ecc_places",    "remapped_rows", "retired_pages",  "pcie_link",           "pcie_errors",
    "pcie_throughput", "nvlink",      "nvlink_errors", "nvlink_throughput", "fabric",           "recovery_action",
    "c2c",           "power_smoothing", "gpm",        "mig",             "processes",           "events",
};
static_assert(!kCapabilityNames.back().empty());

}  // namespace faultline
