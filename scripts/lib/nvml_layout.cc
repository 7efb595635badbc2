// Compiles only when our hand-written NVML declarations are those of the published nvml.h; scripts/check-nvml-layout runs it.
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

SAME_SIZE(ours::EventData, nvmlEventData_t);
SAME_MEMBER(ours::EventData, nvmlEventData_t, device);
SAME_MEMBER(ours::EventData, nvmlEventData_t, eventType);
SAME_MEMBER(ours::EventData, nvmlEventData_t, eventData);
SAME_MEMBER(ours::EventData, nvmlEventData_t, gpuInstanceId);
SAME_MEMBER(ours::EventData, nvmlEventData_t, computeInstanceId);

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
SAME_VALUE(ours::kEventXidCritical, nvmlEventTypeXidCriticalError);
SAME_VALUE(ours::kReasonSwPowerCap, nvmlClocksEventReasonSwPowerCap);
SAME_VALUE(ours::kReasonSwThermalSlowdown, nvmlClocksEventReasonSwThermalSlowdown);
SAME_VALUE(ours::kReasonHwThermalSlowdown, nvmlClocksThrottleReasonHwThermalSlowdown);
SAME_VALUE(ours::kReasonHwPowerBrakeSlowdown, nvmlClocksThrottleReasonHwPowerBrakeSlowdown);

SAME_VALUE(ours::kFieldTimePowerCap, NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP);
SAME_VALUE(ours::kFieldEnergy, NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION);
SAME_VALUE(ours::kFieldPowerInstant, NVML_FI_DEV_POWER_INSTANT);
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
