// Our own declarations of the part of NVML's ABI that is used: plain C on LP64, no packing.
// Layouts, enum values and field ids are those of nvml.h; scripts/check-nvml-layout compares them with the published one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faultline::nvml {

using Return = int;

inline constexpr Return kSuccess = 0;
inline constexpr Return kUninitialized = 1;
inline constexpr Return kInvalidArgument = 2;
inline constexpr Return kNotSupported = 3;
inline constexpr Return kNoPermission = 4;
inline constexpr Return kNotFound = 6;
inline constexpr Return kInsufficientSize = 7;
inline constexpr Return kDriverNotLoaded = 9;
inline constexpr Return kTimeout = 10;
inline constexpr Return kLibraryNotFound = 12;
inline constexpr Return kFunctionNotFound = 13;
inline constexpr Return kGpuIsLost = 15;
inline constexpr Return kResetRequired = 16;
inline constexpr Return kLibRmVersionMismatch = 18;
inline constexpr Return kArgumentVersionMismatch = 25;
inline constexpr Return kDeprecated = 26;
inline constexpr Return kGpuNotFound = 28;
inline constexpr Return kUnknown = 999;

struct OpaqueDevice;
struct OpaqueEventSet;
using Device = OpaqueDevice*;
using EventSet = OpaqueEventSet*;

inline constexpr unsigned kUuidSize = 80;
inline constexpr unsigned kNameSize = 96;
inline constexpr unsigned kSerialSize = 30;
inline constexpr unsigned kDriverVersionSize = 80;

struct PciInfo {
  char busIdLegacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pciDeviceId;
  unsigned pciSubSystemId;
  char busId[32];
};

struct Utilization {
  unsigned gpu;  // percent of the sample period
  unsigned memory;
};

union Value {
  double dVal;
  int siVal;
  unsigned uiVal;
  unsigned long ulVal;
  unsigned long long ullVal;
  long long sllVal;
  unsigned short usVal;
};

enum ValueType : unsigned {
  kValueDouble = 0,
  kValueUnsigned = 1,
  kValueUnsignedLong = 2,
  kValueUnsignedLongLong = 3,
  kValueSignedLongLong = 4,
  kValueSigned = 5,
  kValueUnsignedShort = 6,
};

struct FieldValue {
  unsigned fieldId;
  unsigned scopeId;
  long long timestamp;  // us since the epoch
  long long latencyUsec;
  unsigned valueType;  // ValueType; untrusted
  Return nvmlReturn;
  Value value;
};

struct Temperature {
  unsigned version;
  unsigned sensorType;
  int temperature;
};
inline constexpr unsigned kTemperatureVersion = sizeof(Temperature) | (1U << 24);

struct EventData {
  Device device;
  unsigned long long eventType;
  unsigned long long eventData;  // the XID for XID events
  unsigned gpuInstanceId;
  unsigned computeInstanceId;
};

inline constexpr unsigned kClockSm = 1;
inline constexpr unsigned kClockMemory = 2;
inline constexpr unsigned kTemperatureGpu = 0;
inline constexpr unsigned kThresholdSlowdown = 1;
inline constexpr unsigned long long kEventXidCritical = 0x8;

inline constexpr unsigned long long kReasonSwPowerCap = 0x4;
inline constexpr unsigned long long kReasonSwThermalSlowdown = 0x20;
inline constexpr unsigned long long kReasonHwThermalSlowdown = 0x40;
inline constexpr unsigned long long kReasonHwPowerBrakeSlowdown = 0x80;

inline constexpr unsigned kFieldTimePowerCap = 74;  // ns
inline constexpr unsigned kFieldEnergy = 83;        // mJ since the driver was loaded
inline constexpr unsigned kFieldPowerInstant = 186;  // mW
// ns. NVML 12.9 and 13.0 before update 2 numbered these 251-253 and gave 269-271 to power smoothing.
inline constexpr unsigned kFieldTimeSwThermal = 269;
inline constexpr unsigned kFieldTimeHwThermal = 270;
inline constexpr unsigned kFieldTimePowerBrake = 271;

static_assert(sizeof(void*) == 8, "NVML's layouts below are those of LP64");
static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, domain) == 16 && offsetof(PciInfo, busId) == 36);
static_assert(sizeof(Utilization) == 8 && sizeof(Value) == 8);
static_assert(sizeof(FieldValue) == 40 && offsetof(FieldValue, timestamp) == 8 && offsetof(FieldValue, valueType) == 24 &&
              offsetof(FieldValue, nvmlReturn) == 28 && offsetof(FieldValue, value) == 32);
static_assert(sizeof(Temperature) == 12 && kTemperatureVersion == 0x0100000c);
static_assert(sizeof(EventData) == 32 && offsetof(EventData, eventData) == 16 && offsetof(EventData, gpuInstanceId) == 24);

}  // namespace faultline::nvml
