// What is asked of each GPU, by number: its last answer is kept per GPU under that number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/vendor/quantities.h"
#include "vendor/nvml/fields.h"

namespace faultline {

// Single calls first, then a number for each row of the field tables.
enum Reading : std::uint32_t {
  kReadEventReasons,
  kReadTemperatureV,
  kReadTemperature,
  kReadSmClock,
  kReadMemoryClock,
  kReadPowerLimit,
  kReadUtilization,
  kReadPowerUsage,
  kReadTotalEnergy,
  kReadSmClockMax,
  kReadMemoryClockMax,
  kReadPerformanceState,
  kReadMemoryInfoV2,
  kReadMemoryInfo,
  kReadPowerLimitDefault,
  kReadPowerLimitConstraints,
  kReadPowerLimitRequested,
  kReadEccMode,
  kReadSramCorrected,
  kReadSramUncorrected,
  kReadDramCorrected,
  kReadDramUncorrected,
  kReadSramStatus,
  kReadPcieGeneration,
  kReadPcieWidth,
  kReadPcieGenerationMax,
  kReadPcieWidthMax,
  kReadPcieReplays,
  kReadMargin,
  kReadThresholdShutdown,
  kReadThresholdSlowdown,
  kReadThresholdMemory,
  kReadThresholdGpu,
  kReadLinkState,
  kReadLinkErrorCounter,
  kReadFabricV3,
  kReadFabricV2,
  kReadFabric,
  kReadGpmSupport,
  kReadGpmSample,
  kReadGpmMetrics,
  kReadMigMode,
  kReadMigCount,
  kReadInstanceEcc,
  kReadInstanceGpm,
  kReadRowHistogram,
  kReadLinkFec,
  kReadProcesses,
  kReadFastField,
};

inline constexpr double kAsBitErrorRate = 0;

struct Field {
  unsigned id;
  Quantity quantity;
  double scale;  // to the SI unit; kAsBitErrorRate: mantissa and exponent
  Capability group;
};

// Read each tick. From the fourth on only where slowdown_times_are_known().
inline constexpr std::array kFastFields{
    Field{nvml::kFieldPowerInstant, Quantity::kPower, 1e-3, Capability::kPower},
    Field{nvml::kFieldEnergy, Quantity::kEnergy, 1e-3, Capability::kEnergy},
    Field{nvml::kFieldTimePowerCap, Quantity::kTimePowerCap, 1e-9, Capability::kSlowdownTimes},
    Field{nvml::kFieldTimeSwThermal, Quantity::kTimeSwThermal, 1e-9, Capability::kSlowdownTimes},
    Field{nvml::kFieldTimeHwThermal, Quantity::kTimeHwThermal, 1e-9, Capability::kSlowdownTimes},
    Field{nvml::kFieldTimePowerBrake, Quantity::kTimePowerBrake, 1e-9, Capability::kSlowdownTimes},
};
inline constexpr std::size_t kFastFieldsOfAnyDriver = 3;

// One batched read each, in this order.
inline constexpr std::array kHeatAndPowerFields{
    Field{nvml::kFieldMemoryTemperature, Quantity::kMemoryTemperature, 1, Capability::kMemoryTemperature},
    Field{nvml::kFieldPowerLimitMin, Quantity::kPowerLimitMin, 1e-3, Capability::kPowerLimits},
    Field{nvml::kFieldPowerLimitMax, Quantity::kPowerLimitMax, 1e-3, Capability::kPowerLimits},
    Field{nvml::kFieldPowerLimitDefault, Quantity::kPowerLimitDefault, 1e-3, Capability::kPowerLimits},
    Field{nvml::kFieldPowerLimitRequested, Quantity::kPowerLimitRequested, 1e-3, Capability::kPowerLimits},
    Field{nvml::kFieldViolationThermal, Quantity::kViolationThermal, 1e-9, Capability::kViolations},
    Field{nvml::kFieldViolationSyncBoost, Quantity::kViolationSyncBoost, 1e-9, Capability::kViolations},
    Field{nvml::kFieldViolationBoardLimit, Quantity::kViolationBoardLimit, 1e-9, Capability::kViolations},
    Field{nvml::kFieldViolationLowUtilization, Quantity::kViolationLowUtilization, 1e-9, Capability::kViolations},
    Field{nvml::kFieldViolationReliability, Quantity::kViolationReliability, 1e-9, Capability::kViolations},
    Field{nvml::kFieldViolationAppClocks, Quantity::kViolationAppClocks, 1e-9, Capability::kViolations},
    Field{nvml::kFieldViolationBaseClocks, Quantity::kViolationBaseClocks, 1e-9, Capability::kViolations},
};

inline constexpr std::array kMemoryFields{
    Field{nvml::kFieldEccCorrected, Quantity::kEccCorrected, 1, Capability::kEcc},
    Field{nvml::kFieldEccUncorrected, Quantity::kEccUncorrected, 1, Capability::kEcc},
    Field{nvml::kFieldEccCorrectedLifetime, Quantity::kEccCorrectedLifetime, 1, Capability::kEcc},
    Field{nvml::kFieldEccUncorrectedLifetime, Quantity::kEccUncorrectedLifetime, 1, Capability::kEcc},
    Field{nvml::kFieldRetiredSbe, Quantity::kRetiredPagesSbe, 1, Capability::kRetiredPages},
    Field{nvml::kFieldRetiredDbe, Quantity::kRetiredPagesDbe, 1, Capability::kRetiredPages},
    Field{nvml::kFieldRetiredPending, Quantity::kRetiredPagesPending, 1, Capability::kRetiredPages},
    Field{nvml::kFieldRemapCorrected, Quantity::kRemapCorrected, 1, Capability::kRemappedRows},
    Field{nvml::kFieldRemapUncorrected, Quantity::kRemapUncorrected, 1, Capability::kRemappedRows},
    Field{nvml::kFieldRemapPending, Quantity::kRemapPending, 1, Capability::kRemappedRows},
    Field{nvml::kFieldRemapFailed, Quantity::kRemapFailed, 1, Capability::kRemappedRows},
    Field{nvml::kFieldRemapCorrectedInactive, Quantity::kRemapCorrectedInactive, 1, Capability::kRemappedRows},
    Field{nvml::kFieldRemapUncorrectedInactive, Quantity::kRemapUncorrectedInactive, 1, Capability::kRemappedRows},
    Field{nvml::kFieldBankRemapActive, Quantity::kBankRemapActive, 1, Capability::kRemappedRows},
    Field{nvml::kFieldBankRemapInactive, Quantity::kBankRemapInactive, 1, Capability::kRemappedRows},
    Field{nvml::kFieldBankRemapGroupsFull, Quantity::kBankRemapGroupsFull, 1, Capability::kRemappedRows},
    Field{nvml::kFieldBankRemapGroupsNone, Quantity::kBankRemapGroupsNone, 1, Capability::kRemappedRows},
    Field{nvml::kFieldBankRemapPending, Quantity::kBankRemapPending, 1, Capability::kRemappedRows},
};

inline constexpr std::array kPcieFields{
    Field{nvml::kFieldPcieReplays, Quantity::kPcieReplays, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieRecoveries, Quantity::kPcieRecoveries, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieCorrectable, Quantity::kPcieCorrectable, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieNaksReceived, Quantity::kPcieNaksReceived, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieReceiverErrors, Quantity::kPcieReceiverErrors, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieBadTlp, Quantity::kPcieBadTlp, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieNaksSent, Quantity::kPcieNaksSent, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieBadDllp, Quantity::kPcieBadDllp, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieNonfatal, Quantity::kPcieNonfatal, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieFatal, Quantity::kPcieFatal, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieUnsupported, Quantity::kPcieUnsupported, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieLcrcErrors, Quantity::kPcieLcrcErrors, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieLaneErrors, Quantity::kPcieLaneErrors, 1, Capability::kPcieErrors},
    Field{nvml::kFieldPcieTx, Quantity::kPcieTx, 1, Capability::kPcieThroughput},
    Field{nvml::kFieldPcieRx, Quantity::kPcieRx, 1, Capability::kPcieThroughput},
};

inline constexpr std::array kStateFields{
    Field{nvml::kFieldRecoveryAction, Quantity::kRecoveryAction, 1, Capability::kRecoveryAction},
    Field{nvml::kFieldResetStatus, Quantity::kResetRequired, 1, Capability::kRecoveryAction},
    Field{nvml::kFieldDrainResetStatus, Quantity::kDrainResetRequired, 1, Capability::kRecoveryAction},
    Field{nvml::kFieldC2cLinks, Quantity::kC2cLinks, 1, Capability::kC2c},
    Field{nvml::kFieldC2cStatus, Quantity::kC2cStatus, 1, Capability::kC2c},
    Field{nvml::kFieldC2cReplays, Quantity::kC2cReplays, 1, Capability::kC2c},
    // From here on only where smoothing_fields_are_known().
    Field{nvml::kFieldSmoothing, Quantity::kPowerSmoothing, 1, Capability::kPowerSmoothing},
    Field{nvml::kFieldSmoothingCeiling, Quantity::kPowerSmoothingCeiling, 1, Capability::kPowerSmoothing},
    Field{nvml::kFieldSmoothingFloor, Quantity::kPowerSmoothingFloor, 1, Capability::kPowerSmoothing},
    Field{nvml::kFieldSmoothingLifetime, Quantity::kPowerSmoothingLifetime, 1e-2, Capability::kPowerSmoothing},
    Field{nvml::kFieldSmoothingProfile, Quantity::kPowerSmoothingProfile, 1, Capability::kPowerSmoothing},
};
inline constexpr std::size_t kStateFieldsOfAnyDriver = 6;

inline constexpr std::array kMarginFields{
    Field{nvml::kFieldLimitShutdown, Quantity::kMarginShutdown, 1, Capability::kThermalMargins},
    Field{nvml::kFieldLimitSlowdown, Quantity::kMarginSlowdown, 1, Capability::kThermalMargins},
    Field{nvml::kFieldLimitGpu, Quantity::kMarginGpu, 1, Capability::kThermalMargins},
};

// Of one link; where several rows give one quantity, the first that answers does.
inline constexpr std::array kLinkFields{
    Field{nvml::kFieldLinkState, Quantity::kNvlinkState, 1, Capability::kNvlink},
    Field{nvml::kFieldLinkReplays, Quantity::kNvlinkReplays, 1, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkRecoveryEvents, Quantity::kNvlinkRecoveries, 1, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkRecoveries, Quantity::kNvlinkRecoveries, 1, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkRecoveriesFailed, Quantity::kNvlinkRecoveriesFailed, 1, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkCrcErrors, Quantity::kNvlinkCrcErrors, 1, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkSymbolErrors, Quantity::kNvlinkSymbolErrors, 1, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkEffectiveErrors, Quantity::kNvlinkEffectiveErrors, 1, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkSymbolBer, Quantity::kNvlinkSymbolBer, kAsBitErrorRate, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkEffectiveBer, Quantity::kNvlinkEffectiveBer, kAsBitErrorRate, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkMalformed, Quantity::kNvlinkMalformed, 1, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkBufferOverruns, Quantity::kNvlinkBufferOverruns, 1, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkReceiveErrors, Quantity::kNvlinkReceiveErrors, 1, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkIntegrityErrors, Quantity::kNvlinkIntegrityErrors, 1, Capability::kNvlinkErrors},
    Field{nvml::kFieldLinkDataTx, Quantity::kNvlinkTx, 1024, Capability::kNvlinkThroughput},
    Field{nvml::kFieldLinkDataRx, Quantity::kNvlinkRx, 1024, Capability::kNvlinkThroughput},
    Field{nvml::kFieldLinkBytesTx, Quantity::kNvlinkTx, 1, Capability::kNvlinkThroughput},
    Field{nvml::kFieldLinkBytesRx, Quantity::kNvlinkRx, 1, Capability::kNvlinkThroughput},
};

// Of all links of a GPU together.
inline constexpr std::array kLinkTotalFields{
    Field{nvml::kFieldLinkCount, Quantity::kNvlinks, 1, Capability::kNvlink},
    Field{nvml::kFieldLinkDataTx, Quantity::kNvlinkTx, 1024, Capability::kNvlinkThroughput},
    Field{nvml::kFieldLinkDataRx, Quantity::kNvlinkRx, 1024, Capability::kNvlinkThroughput},
};

// The number of each table's first row.
inline constexpr unsigned kReadHeatAndPower = kReadFastField + kFastFields.size();
inline constexpr unsigned kReadMemory = kReadHeatAndPower + kHeatAndPowerFields.size();
inline constexpr unsigned kReadPcie = kReadMemory + kMemoryFields.size();
inline constexpr unsigned kReadState = kReadPcie + kPcieFields.size();
inline constexpr unsigned kReadMargins = kReadState + kStateFields.size();
inline constexpr unsigned kReadLink = kReadMargins + kMarginFields.size();
inline constexpr unsigned kReadLinkTotal = kReadLink + kLinkFields.size();
inline constexpr unsigned kReadings = kReadLinkTotal + kLinkTotalFields.size();

// What a group's readings are, for telling which groups work.
Capability group_of(unsigned reading);

// Whether fields 269-271 are the slowdown times on this driver: NVML 12.9 and early 13.0 (drivers 575 to 580.82)
// numbered them otherwise, and there 269-271 are power-smoothing settings.
bool slowdown_times_are_known(std::string_view driver);
// Whether fields 251-268 are power smoothing: NVML 12.8 (driver 570) brought them there, and 13.0 update 2 took them back.
bool smoothing_fields_are_known(std::string_view driver);

}  // namespace faultline
