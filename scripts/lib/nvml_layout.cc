// Compiles only when our hand-written NVML declarations are those of the published nvml.h; scripts/check-nvml-layout runs it.
// One check a line: for an older header that script leaves out the lines whose names it does not have yet.
#include <cstddef>
#include <type_traits>

#include "vendor/nvml_library.h"

#include "nvml.h"

namespace ours = faultline::nvml;
using Table = faultline::NvmlLibrary;

#define SAME_SIZE(mine, theirs) static_assert(sizeof(mine) == sizeof(theirs) && alignof(mine) == alignof(theirs), #theirs)
#define SAME_MEMBER(mine, theirs, member)                                                                \
  static_assert(offsetof(mine, member) == offsetof(theirs, member) &&                                     \
                    sizeof(std::declval<mine>().member) == sizeof(std::declval<theirs>().member),         \
                #theirs "." #member)
#define SAME_OFFSET_AND_AT_LEAST(mine, theirs, member)                                                    \
  static_assert(offsetof(mine, member) == offsetof(theirs, member) &&                                     \
                    sizeof(std::declval<mine>().member) >= sizeof(std::declval<theirs>().member),         \
                #theirs "." #member)
#define SAME_VALUE(mine, theirs) static_assert(static_cast<long long>(mine) == static_cast<long long>(theirs), #theirs)

// Two parameters are passed alike when both are pointers, or both are integers of one size.
template <class Mine, class Theirs>
constexpr bool kPassedAlike = std::is_pointer_v<Mine> == std::is_pointer_v<Theirs> && sizeof(Mine) == sizeof(Theirs) &&
                              std::is_floating_point_v<Mine> == std::is_floating_point_v<Theirs>;
template <class Mine, class Theirs>
struct CalledAlike : std::false_type {};
template <class MineResult, class TheirResult, class... Mine, class... Theirs>
  requires(sizeof...(Mine) == sizeof...(Theirs))
struct CalledAlike<MineResult (*)(Mine...), TheirResult (*)(Theirs...)>
    : std::bool_constant<kPassedAlike<MineResult, TheirResult> && (kPassedAlike<Mine, Theirs> && ...)> {};
#define SAME_CALL(mine, theirs) static_assert(CalledAlike<decltype(Table::mine), decltype(&::theirs)>::value, #theirs)

SAME_SIZE(ours::Return, nvmlReturn_t);
SAME_SIZE(ours::Device, nvmlDevice_t);
SAME_SIZE(ours::EventSet, nvmlEventSet_t);

SAME_SIZE(ours::PciInfo, nvmlPciInfo_t);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, busIdLegacy);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, domain);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, bus);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, device);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, pciDeviceId);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, pciSubSystemId);
SAME_MEMBER(ours::PciInfo, nvmlPciInfo_t, busId);

SAME_SIZE(ours::Utilization, nvmlUtilization_t);
SAME_MEMBER(ours::Utilization, nvmlUtilization_t, gpu);
SAME_MEMBER(ours::Utilization, nvmlUtilization_t, memory);

SAME_SIZE(ours::Value, nvmlValue_t);
SAME_MEMBER(ours::Value, nvmlValue_t, dVal);
SAME_MEMBER(ours::Value, nvmlValue_t, siVal);
SAME_MEMBER(ours::Value, nvmlValue_t, uiVal);
SAME_MEMBER(ours::Value, nvmlValue_t, ulVal);
SAME_MEMBER(ours::Value, nvmlValue_t, ullVal);
SAME_MEMBER(ours::Value, nvmlValue_t, sllVal);
SAME_MEMBER(ours::Value, nvmlValue_t, usVal);
SAME_VALUE(ours::kValueDouble, NVML_VALUE_TYPE_DOUBLE);
SAME_VALUE(ours::kValueUnsigned, NVML_VALUE_TYPE_UNSIGNED_INT);
SAME_VALUE(ours::kValueUnsignedLong, NVML_VALUE_TYPE_UNSIGNED_LONG);
SAME_VALUE(ours::kValueUnsignedLongLong, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
SAME_VALUE(ours::kValueSignedLongLong, NVML_VALUE_TYPE_SIGNED_LONG_LONG);
SAME_VALUE(ours::kValueSigned, NVML_VALUE_TYPE_SIGNED_INT);
SAME_VALUE(ours::kValueUnsignedShort, NVML_VALUE_TYPE_UNSIGNED_SHORT);

SAME_SIZE(ours::FieldValue, nvmlFieldValue_t);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, fieldId);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, scopeId);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, timestamp);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, latencyUsec);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, valueType);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, nvmlReturn);
SAME_MEMBER(ours::FieldValue, nvmlFieldValue_t, value);

SAME_SIZE(ours::Temperature, nvmlTemperature_t);
SAME_MEMBER(ours::Temperature, nvmlTemperature_t, version);
SAME_MEMBER(ours::Temperature, nvmlTemperature_t, sensorType);
SAME_MEMBER(ours::Temperature, nvmlTemperature_t, temperature);
SAME_VALUE(ours::kTemperatureVersion, nvmlTemperature_v1);

SAME_SIZE(ours::MarginTemperature, nvmlMarginTemperature_v1_t);
SAME_MEMBER(ours::MarginTemperature, nvmlMarginTemperature_v1_t, version);
SAME_MEMBER(ours::MarginTemperature, nvmlMarginTemperature_v1_t, marginTemperature);
SAME_VALUE(ours::kMarginTemperatureVersion, nvmlMarginTemperature_v1);

SAME_SIZE(ours::Memory, nvmlMemory_t);
SAME_MEMBER(ours::Memory, nvmlMemory_t, total);
SAME_MEMBER(ours::Memory, nvmlMemory_t, free);
SAME_MEMBER(ours::Memory, nvmlMemory_t, used);

SAME_SIZE(ours::MemoryV2, nvmlMemory_v2_t);
SAME_MEMBER(ours::MemoryV2, nvmlMemory_v2_t, version);
SAME_MEMBER(ours::MemoryV2, nvmlMemory_v2_t, total);
SAME_MEMBER(ours::MemoryV2, nvmlMemory_v2_t, reserved);
SAME_MEMBER(ours::MemoryV2, nvmlMemory_v2_t, free);
SAME_MEMBER(ours::MemoryV2, nvmlMemory_v2_t, used);
SAME_VALUE(ours::kMemoryV2Version, nvmlMemory_v2);

SAME_SIZE(ours::SramErrors, nvmlEccSramErrorStatus_v1_t);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, version);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncParity);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncSecDed);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateCor);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, volatileUncParity);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, volatileUncSecDed);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, volatileCor);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketL2);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketSm);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketPcie);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketMcu);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, aggregateUncBucketOther);
SAME_MEMBER(ours::SramErrors, nvmlEccSramErrorStatus_v1_t, bThresholdExceeded);
SAME_VALUE(ours::kSramErrorsVersion, nvmlEccSramErrorStatus_v1);

SAME_SIZE(ours::FabricInfo, nvmlGpuFabricInfo_t);
SAME_MEMBER(ours::FabricInfo, nvmlGpuFabricInfo_t, clusterUuid);
SAME_MEMBER(ours::FabricInfo, nvmlGpuFabricInfo_t, status);
SAME_MEMBER(ours::FabricInfo, nvmlGpuFabricInfo_t, cliqueId);
SAME_MEMBER(ours::FabricInfo, nvmlGpuFabricInfo_t, state);

SAME_SIZE(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, version);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, clusterUuid);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, status);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, cliqueId);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, state);
SAME_MEMBER(ours::FabricInfoV2, nvmlGpuFabricInfo_v2_t, healthMask);
SAME_VALUE(ours::kFabricInfoV2Version, nvmlGpuFabricInfo_v2);

SAME_SIZE(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, version);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, clusterUuid);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, status);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, cliqueId);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, state);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, healthMask);
SAME_MEMBER(ours::FabricInfoV3, nvmlGpuFabricInfo_v3_t, healthSummary);
SAME_VALUE(ours::kFabricInfoV3Version, nvmlGpuFabricInfo_v3);

SAME_SIZE(ours::ProcessInfo, nvmlProcessInfo_t);
SAME_MEMBER(ours::ProcessInfo, nvmlProcessInfo_t, pid);
SAME_MEMBER(ours::ProcessInfo, nvmlProcessInfo_t, usedGpuMemory);
SAME_MEMBER(ours::ProcessInfo, nvmlProcessInfo_t, gpuInstanceId);
SAME_MEMBER(ours::ProcessInfo, nvmlProcessInfo_t, computeInstanceId);

SAME_SIZE(ours::GpmSupport, nvmlGpmSupport_t);
SAME_MEMBER(ours::GpmSupport, nvmlGpmSupport_t, version);
SAME_MEMBER(ours::GpmSupport, nvmlGpmSupport_t, isSupportedDevice);
SAME_VALUE(ours::kGpmSupportVersion, NVML_GPM_SUPPORT_VERSION);

SAME_SIZE(ours::GpmMetric, nvmlGpmMetric_t);
SAME_MEMBER(ours::GpmMetric, nvmlGpmMetric_t, metricId);
SAME_MEMBER(ours::GpmMetric, nvmlGpmMetric_t, nvmlReturn);
SAME_MEMBER(ours::GpmMetric, nvmlGpmMetric_t, value);
SAME_MEMBER(ours::GpmMetric, nvmlGpmMetric_t, metricInfo);

SAME_SIZE(ours::GpmSample, nvmlGpmSample_t);
SAME_VALUE(ours::kGpmMetricsVersion, NVML_GPM_METRICS_GET_VERSION);
SAME_MEMBER(ours::GpmMetrics, nvmlGpmMetricsGet_t, version);
SAME_MEMBER(ours::GpmMetrics, nvmlGpmMetricsGet_t, numMetrics);
SAME_MEMBER(ours::GpmMetrics, nvmlGpmMetricsGet_t, sample1);
SAME_MEMBER(ours::GpmMetrics, nvmlGpmMetricsGet_t, sample2);
// The array is longer than any library's.
SAME_OFFSET_AND_AT_LEAST(ours::GpmMetrics, nvmlGpmMetricsGet_t, metrics);

SAME_SIZE(ours::EventData, nvmlEventData_t);
SAME_MEMBER(ours::EventData, nvmlEventData_t, device);
SAME_MEMBER(ours::EventData, nvmlEventData_t, eventType);
SAME_MEMBER(ours::EventData, nvmlEventData_t, eventData);
SAME_MEMBER(ours::EventData, nvmlEventData_t, gpuInstanceId);
SAME_MEMBER(ours::EventData, nvmlEventData_t, computeInstanceId);

SAME_SIZE(ours::SystemEventSetCreate, nvmlSystemEventSetCreateRequest_v1_t);
SAME_MEMBER(ours::SystemEventSetCreate, nvmlSystemEventSetCreateRequest_v1_t, version);
SAME_MEMBER(ours::SystemEventSetCreate, nvmlSystemEventSetCreateRequest_v1_t, set);
SAME_VALUE(ours::kFirstVersion<ours::SystemEventSetCreate>, nvmlSystemEventSetCreateRequest_v1);

SAME_SIZE(ours::SystemEventSetFree, nvmlSystemEventSetFreeRequest_v1_t);
SAME_MEMBER(ours::SystemEventSetFree, nvmlSystemEventSetFreeRequest_v1_t, version);
SAME_MEMBER(ours::SystemEventSetFree, nvmlSystemEventSetFreeRequest_v1_t, set);
SAME_VALUE(ours::kFirstVersion<ours::SystemEventSetFree>, nvmlSystemEventSetFreeRequest_v1);

SAME_SIZE(ours::SystemRegisterEvents, nvmlSystemRegisterEventRequest_v1_t);
SAME_MEMBER(ours::SystemRegisterEvents, nvmlSystemRegisterEventRequest_v1_t, version);
SAME_MEMBER(ours::SystemRegisterEvents, nvmlSystemRegisterEventRequest_v1_t, eventTypes);
SAME_MEMBER(ours::SystemRegisterEvents, nvmlSystemRegisterEventRequest_v1_t, set);
SAME_VALUE(ours::kFirstVersion<ours::SystemRegisterEvents>, nvmlSystemRegisterEventRequest_v1);

SAME_SIZE(ours::SystemEventData, nvmlSystemEventData_v1_t);
SAME_MEMBER(ours::SystemEventData, nvmlSystemEventData_v1_t, eventType);
SAME_MEMBER(ours::SystemEventData, nvmlSystemEventData_v1_t, gpuId);

SAME_SIZE(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, version);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, timeoutms);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, set);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, data);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, dataSize);
SAME_MEMBER(ours::SystemEventSetWait, nvmlSystemEventSetWaitRequest_v1_t, numEvent);
SAME_VALUE(ours::kFirstVersion<ours::SystemEventSetWait>, nvmlSystemEventSetWaitRequest_v1);
SAME_VALUE(ours::kSystemEventDriverUnbind, nvmlSystemEventTypeGpuDriverUnbind);
SAME_VALUE(ours::kSystemEventDriverBind, nvmlSystemEventTypeGpuDriverBind);

SAME_VALUE(ours::kSuccess, NVML_SUCCESS);
SAME_VALUE(ours::kUninitialized, NVML_ERROR_UNINITIALIZED);
SAME_VALUE(ours::kInvalidArgument, NVML_ERROR_INVALID_ARGUMENT);
SAME_VALUE(ours::kNotSupported, NVML_ERROR_NOT_SUPPORTED);
SAME_VALUE(ours::kNoPermission, NVML_ERROR_NO_PERMISSION);
SAME_VALUE(ours::kNotFound, NVML_ERROR_NOT_FOUND);
SAME_VALUE(ours::kInsufficientSize, NVML_ERROR_INSUFFICIENT_SIZE);
SAME_VALUE(ours::kDriverNotLoaded, NVML_ERROR_DRIVER_NOT_LOADED);
SAME_VALUE(ours::kTimeout, NVML_ERROR_TIMEOUT);
SAME_VALUE(ours::kLibraryNotFound, NVML_ERROR_LIBRARY_NOT_FOUND);
SAME_VALUE(ours::kFunctionNotFound, NVML_ERROR_FUNCTION_NOT_FOUND);
SAME_VALUE(ours::kGpuIsLost, NVML_ERROR_GPU_IS_LOST);
SAME_VALUE(ours::kResetRequired, NVML_ERROR_RESET_REQUIRED);
SAME_VALUE(ours::kLibRmVersionMismatch, NVML_ERROR_LIB_RM_VERSION_MISMATCH);
SAME_VALUE(ours::kArgumentVersionMismatch, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
SAME_VALUE(ours::kDeprecated, NVML_ERROR_DEPRECATED);
SAME_VALUE(ours::kGpuNotFound, NVML_ERROR_GPU_NOT_FOUND);
SAME_VALUE(ours::kUnknown, NVML_ERROR_UNKNOWN);

SAME_VALUE(ours::kUuidSize, NVML_DEVICE_UUID_BUFFER_SIZE);
SAME_VALUE(ours::kNameSize, NVML_DEVICE_NAME_V2_BUFFER_SIZE);
SAME_VALUE(ours::kSerialSize, NVML_DEVICE_SERIAL_BUFFER_SIZE);
SAME_VALUE(ours::kDriverVersionSize, NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE);
SAME_VALUE(ours::kClockSm, NVML_CLOCK_SM);
SAME_VALUE(ours::kClockMemory, NVML_CLOCK_MEM);
SAME_VALUE(ours::kTemperatureGpu, NVML_TEMPERATURE_GPU);
SAME_VALUE(ours::kThresholdSlowdown, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN);
SAME_VALUE(ours::kNotReady, NVML_ERROR_NOT_READY);
SAME_VALUE(ours::kThresholdShutdown, NVML_TEMPERATURE_THRESHOLD_SHUTDOWN);
SAME_VALUE(ours::kThresholdMemoryMax, NVML_TEMPERATURE_THRESHOLD_MEM_MAX);
SAME_VALUE(ours::kThresholdGpuMax, NVML_TEMPERATURE_THRESHOLD_GPU_MAX);
SAME_VALUE(ours::kErrorCorrected, NVML_MEMORY_ERROR_TYPE_CORRECTED);
SAME_VALUE(ours::kErrorUncorrected, NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
SAME_VALUE(ours::kCounterVolatile, NVML_VOLATILE_ECC);
SAME_VALUE(ours::kPlaceDram, NVML_MEMORY_LOCATION_DRAM);
SAME_VALUE(ours::kPlaceSram, NVML_MEMORY_LOCATION_SRAM);
SAME_VALUE(ours::kLinkReplay, NVML_NVLINK_ERROR_DL_REPLAY);
SAME_VALUE(ours::kLinkRecovery, NVML_NVLINK_ERROR_DL_RECOVERY);
SAME_VALUE(ours::kLinkCrcFlit, NVML_NVLINK_ERROR_DL_CRC_FLIT);
SAME_VALUE(ours::kLinkCrcData, NVML_NVLINK_ERROR_DL_CRC_DATA);
SAME_VALUE(ours::kLinkDown, NVML_NVLINK_STATE_INACTIVE);
SAME_VALUE(ours::kLinkUp, NVML_NVLINK_STATE_ACTIVE);
SAME_VALUE(ours::kLinkAsleep, NVML_NVLINK_STATE_SLEEP);
SAME_VALUE(ours::kPerformanceStateUnknown, NVML_PSTATE_UNKNOWN);
SAME_VALUE(ours::kFabricCompleted, NVML_GPU_FABRIC_STATE_COMPLETED);
SAME_VALUE(ours::kMigEnabled, NVML_DEVICE_MIG_ENABLE);
SAME_VALUE(ours::kGpmSmUtilization, NVML_GPM_METRIC_SM_UTIL);
SAME_VALUE(ours::kGpmSmOccupancy, NVML_GPM_METRIC_SM_OCCUPANCY);
SAME_VALUE(ours::kGpmTensorUtilization, NVML_GPM_METRIC_ANY_TENSOR_UTIL);
SAME_VALUE(ours::kGpmDramUtilization, NVML_GPM_METRIC_DRAM_BW_UTIL);
SAME_VALUE(ours::kGpmPcieTx, NVML_GPM_METRIC_PCIE_TX_PER_SEC);
SAME_VALUE(ours::kGpmPcieRx, NVML_GPM_METRIC_PCIE_RX_PER_SEC);
SAME_VALUE(ours::kGpmNvlinkRx, NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC);
SAME_VALUE(ours::kGpmNvlinkTx, NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC);
SAME_VALUE(ours::kEventXidCritical, nvmlEventTypeXidCriticalError);
SAME_VALUE(ours::kReasonSwPowerCap, nvmlClocksEventReasonSwPowerCap);
SAME_VALUE(ours::kReasonSwThermalSlowdown, nvmlClocksEventReasonSwThermalSlowdown);
SAME_VALUE(ours::kReasonHwThermalSlowdown, nvmlClocksThrottleReasonHwThermalSlowdown);
SAME_VALUE(ours::kReasonHwPowerBrakeSlowdown, nvmlClocksThrottleReasonHwPowerBrakeSlowdown);

SAME_VALUE(ours::kFieldTimePowerCap, NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP);
SAME_VALUE(ours::kFieldEnergy, NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION);
SAME_VALUE(ours::kFieldPowerInstant, NVML_FI_DEV_POWER_INSTANT);
SAME_VALUE(ours::kFieldEccCorrected, NVML_FI_DEV_ECC_SBE_VOL_TOTAL);
SAME_VALUE(ours::kFieldEccUncorrected, NVML_FI_DEV_ECC_DBE_VOL_TOTAL);
SAME_VALUE(ours::kFieldEccCorrectedLifetime, NVML_FI_DEV_ECC_SBE_AGG_TOTAL);
SAME_VALUE(ours::kFieldEccUncorrectedLifetime, NVML_FI_DEV_ECC_DBE_AGG_TOTAL);
SAME_VALUE(ours::kFieldRetiredSbe, NVML_FI_DEV_RETIRED_SBE);
SAME_VALUE(ours::kFieldRetiredDbe, NVML_FI_DEV_RETIRED_DBE);
SAME_VALUE(ours::kFieldRetiredPending, NVML_FI_DEV_RETIRED_PENDING);
SAME_VALUE(ours::kFieldViolationThermal, NVML_FI_DEV_PERF_POLICY_THERMAL);
SAME_VALUE(ours::kFieldViolationSyncBoost, NVML_FI_DEV_PERF_POLICY_SYNC_BOOST);
SAME_VALUE(ours::kFieldViolationBoardLimit, NVML_FI_DEV_PERF_POLICY_BOARD_LIMIT);
SAME_VALUE(ours::kFieldViolationLowUtilization, NVML_FI_DEV_PERF_POLICY_LOW_UTILIZATION);
SAME_VALUE(ours::kFieldViolationReliability, NVML_FI_DEV_PERF_POLICY_RELIABILITY);
SAME_VALUE(ours::kFieldViolationAppClocks, NVML_FI_DEV_PERF_POLICY_TOTAL_APP_CLOCKS);
SAME_VALUE(ours::kFieldViolationBaseClocks, NVML_FI_DEV_PERF_POLICY_TOTAL_BASE_CLOCKS);
SAME_VALUE(ours::kFieldMemoryTemperature, NVML_FI_DEV_MEMORY_TEMP);
SAME_VALUE(ours::kFieldLinkCount, NVML_FI_DEV_NVLINK_LINK_COUNT);
SAME_VALUE(ours::kFieldPcieReplays, NVML_FI_DEV_PCIE_REPLAY_COUNTER);
SAME_VALUE(ours::kFieldLinkDataTx, NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX);
SAME_VALUE(ours::kFieldLinkDataRx, NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX);
SAME_VALUE(ours::kFieldRemapCorrected, NVML_FI_DEV_REMAPPED_COR);
SAME_VALUE(ours::kFieldRemapUncorrected, NVML_FI_DEV_REMAPPED_UNC);
SAME_VALUE(ours::kFieldRemapPending, NVML_FI_DEV_REMAPPED_PENDING);
SAME_VALUE(ours::kFieldRemapFailed, NVML_FI_DEV_REMAPPED_FAILURE);
SAME_VALUE(ours::kFieldLinkReplays, NVML_FI_DEV_NVLINK_ERROR_DL_REPLAY);
SAME_VALUE(ours::kFieldLinkRecoveries, NVML_FI_DEV_NVLINK_ERROR_DL_RECOVERY);
SAME_VALUE(ours::kFieldLinkCrcErrors, NVML_FI_DEV_NVLINK_ERROR_DL_CRC);
SAME_VALUE(ours::kFieldLinkState, NVML_FI_DEV_NVLINK_GET_STATE);
SAME_VALUE(ours::kFieldPcieRecoveries, NVML_FI_DEV_PCIE_L0_TO_RECOVERY_COUNTER);
SAME_VALUE(ours::kFieldC2cLinks, NVML_FI_DEV_C2C_LINK_COUNT);
SAME_VALUE(ours::kFieldC2cStatus, NVML_FI_DEV_C2C_LINK_GET_STATUS);
SAME_VALUE(ours::kFieldPcieCorrectable, NVML_FI_DEV_PCIE_COUNT_CORRECTABLE_ERRORS);
SAME_VALUE(ours::kFieldPcieNaksReceived, NVML_FI_DEV_PCIE_COUNT_NAKS_RECEIVED);
SAME_VALUE(ours::kFieldPcieReceiverErrors, NVML_FI_DEV_PCIE_COUNT_RECEIVER_ERROR);
SAME_VALUE(ours::kFieldPcieBadTlp, NVML_FI_DEV_PCIE_COUNT_BAD_TLP);
SAME_VALUE(ours::kFieldPcieNaksSent, NVML_FI_DEV_PCIE_COUNT_NAKS_SENT);
SAME_VALUE(ours::kFieldPcieBadDllp, NVML_FI_DEV_PCIE_COUNT_BAD_DLLP);
SAME_VALUE(ours::kFieldPcieNonfatal, NVML_FI_DEV_PCIE_COUNT_NON_FATAL_ERROR);
SAME_VALUE(ours::kFieldPcieFatal, NVML_FI_DEV_PCIE_COUNT_FATAL_ERROR);
SAME_VALUE(ours::kFieldPcieUnsupported, NVML_FI_DEV_PCIE_COUNT_UNSUPPORTED_REQ);
SAME_VALUE(ours::kFieldPcieLcrcErrors, NVML_FI_DEV_PCIE_COUNT_LCRC_ERROR);
SAME_VALUE(ours::kFieldPcieLaneErrors, NVML_FI_DEV_PCIE_COUNT_LANE_ERROR);
SAME_VALUE(ours::kFieldPowerLimitMin, NVML_FI_DEV_POWER_MIN_LIMIT);
SAME_VALUE(ours::kFieldPowerLimitMax, NVML_FI_DEV_POWER_MAX_LIMIT);
SAME_VALUE(ours::kFieldPowerLimitDefault, NVML_FI_DEV_POWER_DEFAULT_LIMIT);
SAME_VALUE(ours::kFieldPowerLimitRequested, NVML_FI_DEV_POWER_REQUESTED_LIMIT);
SAME_VALUE(ours::kFieldLimitShutdown, NVML_FI_DEV_TEMPERATURE_SHUTDOWN_TLIMIT);
SAME_VALUE(ours::kFieldLimitSlowdown, NVML_FI_DEV_TEMPERATURE_SLOWDOWN_TLIMIT);
SAME_VALUE(ours::kFieldLimitMemory, NVML_FI_DEV_TEMPERATURE_MEM_MAX_TLIMIT);
SAME_VALUE(ours::kFieldLimitGpu, NVML_FI_DEV_TEMPERATURE_GPU_MAX_TLIMIT);
SAME_VALUE(ours::kFieldPcieTx, NVML_FI_DEV_PCIE_COUNT_TX_BYTES);
SAME_VALUE(ours::kFieldPcieRx, NVML_FI_DEV_PCIE_COUNT_RX_BYTES);
SAME_VALUE(ours::kFieldLinkBytesTx, NVML_FI_DEV_NVLINK_COUNT_XMIT_BYTES);
SAME_VALUE(ours::kFieldLinkBytesRx, NVML_FI_DEV_NVLINK_COUNT_RCV_BYTES);
SAME_VALUE(ours::kFieldLinkMalformed, NVML_FI_DEV_NVLINK_COUNT_MALFORMED_PACKET_ERRORS);
SAME_VALUE(ours::kFieldLinkBufferOverruns, NVML_FI_DEV_NVLINK_COUNT_BUFFER_OVERRUN_ERRORS);
SAME_VALUE(ours::kFieldLinkReceiveErrors, NVML_FI_DEV_NVLINK_COUNT_RCV_ERRORS);
SAME_VALUE(ours::kFieldLinkIntegrityErrors, NVML_FI_DEV_NVLINK_COUNT_LOCAL_LINK_INTEGRITY_ERRORS);
SAME_VALUE(ours::kFieldLinkRecoveriesFailed, NVML_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_FAILED_EVENTS);
SAME_VALUE(ours::kFieldLinkRecoveryEvents, NVML_FI_DEV_NVLINK_COUNT_LINK_RECOVERY_EVENTS);
SAME_VALUE(ours::kFieldLinkEffectiveErrors, NVML_FI_DEV_NVLINK_COUNT_EFFECTIVE_ERRORS);
SAME_VALUE(ours::kFieldLinkSymbolErrors, NVML_FI_DEV_NVLINK_COUNT_SYMBOL_ERRORS);
SAME_VALUE(ours::kFieldResetStatus, NVML_FI_DEV_RESET_STATUS);
SAME_VALUE(ours::kFieldDrainResetStatus, NVML_FI_DEV_DRAIN_AND_RESET_STATUS);
SAME_VALUE(ours::kFieldRecoveryAction, NVML_FI_DEV_GET_GPU_RECOVERY_ACTION);
SAME_VALUE(ours::kFieldC2cReplays, NVML_FI_DEV_C2C_LINK_ERROR_REPLAY);
SAME_VALUE(ours::kFieldRemapCorrectedInactive, NVML_FI_DEV_REMAPPED_ROWS_COR_INACTIVE);
SAME_VALUE(ours::kFieldRemapUncorrectedInactive, NVML_FI_DEV_REMAPPED_ROWS_UNC_INACTIVE);
// The same headers give power smoothing other numbers, which smoothing_fields_are_known() keeps away from.
#if NVML_FI_PWR_SMOOTHING_ENABLED != 256
SAME_VALUE(ours::kFieldSmoothing, NVML_FI_PWR_SMOOTHING_ENABLED);
SAME_VALUE(ours::kFieldSmoothingCeiling, NVML_FI_PWR_SMOOTHING_APPLIED_TMP_CEIL);
SAME_VALUE(ours::kFieldSmoothingFloor, NVML_FI_PWR_SMOOTHING_APPLIED_TMP_FLOOR);
SAME_VALUE(ours::kFieldSmoothingLifetime, NVML_FI_PWR_SMOOTHING_HW_CIRCUITRY_PERCENT_LIFETIME_REMAINING);
SAME_VALUE(ours::kFieldSmoothingProfile, NVML_FI_PWR_SMOOTHING_ACTIVE_PRESET_PROFILE);
#endif
// 12.9 and the first 13.0 have the numbers that slowdown_times_are_known() keeps away from.
#if NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN != 251
SAME_VALUE(ours::kFieldTimeSwThermal, NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN);
SAME_VALUE(ours::kFieldTimeHwThermal, NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN);
SAME_VALUE(ours::kFieldTimePowerBrake, NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN);
#endif

SAME_CALL(init, nvmlInit_v2);
SAME_CALL(shutdown, nvmlShutdown);
SAME_CALL(error_string, nvmlErrorString);
SAME_CALL(driver_version, nvmlSystemGetDriverVersion);
SAME_CALL(count, nvmlDeviceGetCount_v2);
SAME_CALL(handle_by_index, nvmlDeviceGetHandleByIndex_v2);
SAME_CALL(uuid, nvmlDeviceGetUUID);
SAME_CALL(name, nvmlDeviceGetName);
SAME_CALL(serial, nvmlDeviceGetSerial);
SAME_CALL(pci_info, nvmlDeviceGetPciInfo_v3);
SAME_CALL(minor_number, nvmlDeviceGetMinorNumber);
SAME_CALL(field_values, nvmlDeviceGetFieldValues);
SAME_CALL(event_reasons, nvmlDeviceGetCurrentClocksEventReasons);
SAME_CALL(event_reasons, nvmlDeviceGetCurrentClocksThrottleReasons);
SAME_CALL(temperature_v, nvmlDeviceGetTemperatureV);
SAME_CALL(temperature, nvmlDeviceGetTemperature);
SAME_CALL(temperature_threshold, nvmlDeviceGetTemperatureThreshold);
SAME_CALL(clock_info, nvmlDeviceGetClockInfo);
SAME_CALL(enforced_power_limit, nvmlDeviceGetEnforcedPowerLimit);
SAME_CALL(enforced_power_limit, nvmlDeviceGetPowerManagementLimit);
SAME_CALL(power_usage, nvmlDeviceGetPowerUsage);
SAME_CALL(total_energy, nvmlDeviceGetTotalEnergyConsumption);
SAME_CALL(utilization, nvmlDeviceGetUtilizationRates);
SAME_CALL(event_set_create, nvmlEventSetCreate);
SAME_CALL(supported_event_types, nvmlDeviceGetSupportedEventTypes);
SAME_CALL(register_events, nvmlDeviceRegisterEvents);
SAME_CALL(event_set_wait, nvmlEventSetWait_v2);
SAME_CALL(event_set_free, nvmlEventSetFree);
SAME_CALL(margin_temperature, nvmlDeviceGetMarginTemperature);
SAME_CALL(max_clock_info, nvmlDeviceGetMaxClockInfo);
SAME_CALL(performance_state, nvmlDeviceGetPerformanceState);
SAME_CALL(memory_info_v2, nvmlDeviceGetMemoryInfo_v2);
SAME_CALL(memory_info, nvmlDeviceGetMemoryInfo);
SAME_CALL(power_limit_requested, nvmlDeviceGetPowerManagementLimit);
SAME_CALL(power_limit_constraints, nvmlDeviceGetPowerManagementLimitConstraints);
SAME_CALL(power_limit_default, nvmlDeviceGetPowerManagementDefaultLimit);
SAME_CALL(ecc_mode, nvmlDeviceGetEccMode);
SAME_CALL(memory_error_counter, nvmlDeviceGetMemoryErrorCounter);
SAME_CALL(sram_errors, nvmlDeviceGetSramEccErrorStatus);
SAME_CALL(pcie_generation, nvmlDeviceGetCurrPcieLinkGeneration);
SAME_CALL(pcie_width, nvmlDeviceGetCurrPcieLinkWidth);
SAME_CALL(pcie_generation_max, nvmlDeviceGetMaxPcieLinkGeneration);
SAME_CALL(pcie_width_max, nvmlDeviceGetMaxPcieLinkWidth);
SAME_CALL(pcie_replays, nvmlDeviceGetPcieReplayCounter);
SAME_CALL(link_state, nvmlDeviceGetNvLinkState);
SAME_CALL(link_error_counter, nvmlDeviceGetNvLinkErrorCounter);
SAME_CALL(fabric_info_v, nvmlDeviceGetGpuFabricInfoV);
SAME_CALL(fabric_info, nvmlDeviceGetGpuFabricInfo);
SAME_CALL(gpm_support, nvmlGpmQueryDeviceSupport);
SAME_CALL(gpm_sample_alloc, nvmlGpmSampleAlloc);
SAME_CALL(gpm_sample_free, nvmlGpmSampleFree);
SAME_CALL(gpm_sample_get, nvmlGpmSampleGet);
SAME_CALL(gpm_metrics_get, nvmlGpmMetricsGet);
SAME_CALL(mig_mode, nvmlDeviceGetMigMode);
SAME_CALL(max_mig_devices, nvmlDeviceGetMaxMigDeviceCount);
SAME_CALL(mig_device, nvmlDeviceGetMigDeviceHandleByIndex);
SAME_CALL(gpu_instance_id, nvmlDeviceGetGpuInstanceId);
SAME_CALL(compute_instance_id, nvmlDeviceGetComputeInstanceId);
SAME_CALL(compute_processes, nvmlDeviceGetComputeRunningProcesses_v3);
SAME_CALL(module_id, nvmlDeviceGetModuleId);
SAME_CALL(numa_node, nvmlDeviceGetNumaNodeId);
SAME_CALL(architecture, nvmlDeviceGetArchitecture);
SAME_CALL(system_event_set_create, nvmlSystemEventSetCreate);
SAME_CALL(system_register_events, nvmlSystemRegisterEvents);
SAME_CALL(system_event_set_wait, nvmlSystemEventSetWait);
SAME_CALL(system_event_set_free, nvmlSystemEventSetFree);
