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
inline constexpr Return kNotReady = 27;
inline constexpr Return kUnknown = 999;

struct OpaqueDevice;
struct OpaqueEventSet;
struct OpaqueGpmSample;
using Device = OpaqueDevice*;
using EventSet = OpaqueEventSet*;
using GpmSample = OpaqueGpmSample*;

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

struct MarginTemperature {
  unsigned version;
  int marginTemperature;  // Cel to the T.Limit
};
inline constexpr unsigned kMarginTemperatureVersion = sizeof(MarginTemperature) | (1U << 24);

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

struct MemoryV2 {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
};
inline constexpr unsigned kMemoryV2Version = sizeof(MemoryV2) | (2U << 24);

struct SramErrors {
  unsigned version;
  unsigned long long aggregateUncParity;
  unsigned long long aggregateUncSecDed;
  unsigned long long aggregateCor;
  unsigned long long volatileUncParity;
  unsigned long long volatileUncSecDed;
  unsigned long long volatileCor;
  unsigned long long aggregateUncBucketL2;
  unsigned long long aggregateUncBucketSm;
  unsigned long long aggregateUncBucketPcie;
  unsigned long long aggregateUncBucketMcu;
  unsigned long long aggregateUncBucketOther;
  unsigned bThresholdExceeded;
};
inline constexpr unsigned kSramErrorsVersion = sizeof(SramErrors) | (1U << 24);

// As nvmlDeviceGetGpuFabricInfo fills it; the later ones have their version in front.
struct FabricInfo {
  unsigned char clusterUuid[16];
  Return status;
  unsigned cliqueId;
  unsigned char state;
};

struct FabricInfoV2 {
  unsigned version;
  unsigned char clusterUuid[16];
  Return status;
  unsigned cliqueId;
  unsigned char state;
  unsigned healthMask;
};
inline constexpr unsigned kFabricInfoV2Version = sizeof(FabricInfoV2) | (2U << 24);

struct FabricInfoV3 {
  unsigned version;
  unsigned char clusterUuid[16];
  Return status;
  unsigned cliqueId;
  unsigned char state;
  unsigned healthMask;
  unsigned char healthSummary;
};
inline constexpr unsigned kFabricInfoV3Version = sizeof(FabricInfoV3) | (3U << 24);

// The 24 bytes that nvmlDeviceGetComputeRunningProcesses_v3 writes; the unsuffixed call writes 16.
struct ProcessInfo {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId;
  unsigned computeInstanceId;
};

// Banks of the memory by the spare rows that they have left.
struct RowHistogram {
  unsigned max;
  unsigned high;
  unsigned partial;
  unsigned low;
  unsigned none;
};

struct GpmSupport {
  unsigned version;
  unsigned isSupportedDevice;
};
inline constexpr unsigned kGpmSupportVersion = 1;

struct GpmMetric {
  unsigned metricId;
  Return nvmlReturn;
  double value;
  struct {
    char* shortName;
    char* longName;
    char* unit;
  } metricInfo;
};

// The array grew from 98 to 477 entries under one version number: a library may touch as many as its own header has,
// so this is longer than all of them, and numMetrics says what is meant.
inline constexpr unsigned kGpmMetricSlots = 512;
struct GpmMetrics {
  unsigned version;
  unsigned numMetrics;
  GpmSample sample1;
  GpmSample sample2;
  GpmMetric metrics[kGpmMetricSlots];
};
inline constexpr unsigned kGpmMetricsVersion = 1;

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

inline constexpr unsigned kThresholdShutdown = 0;
inline constexpr unsigned kThresholdMemoryMax = 2;
inline constexpr unsigned kThresholdGpuMax = 3;
inline constexpr unsigned kErrorCorrected = 0;
inline constexpr unsigned kErrorUncorrected = 1;
inline constexpr unsigned kCounterVolatile = 0;
inline constexpr unsigned kPlaceDram = 2;
inline constexpr unsigned kPlaceSram = 7;
inline constexpr unsigned kLinkReplay = 0;
inline constexpr unsigned kLinkRecovery = 1;
inline constexpr unsigned kLinkCrcFlit = 2;
inline constexpr unsigned kLinkCrcData = 3;
inline constexpr unsigned kLinkDown = 0;
inline constexpr unsigned kLinkUp = 1;
inline constexpr unsigned kLinkAsleep = 2;
inline constexpr unsigned kPerformanceStateUnknown = 32;
inline constexpr unsigned kFabricCompleted = 3;
inline constexpr unsigned kMigEnabled = 1;
inline constexpr unsigned kNoInstance = 0xffffffff;
inline constexpr unsigned kAllLinks = 0xffffffff;  // as the scope of a link's field

inline constexpr unsigned long long kReasonIdle = 0x1;
inline constexpr unsigned long long kReasonApplicationClocks = 0x2;
inline constexpr unsigned long long kReasonSwPowerCap = 0x4;
inline constexpr unsigned long long kReasonHwSlowdown = 0x8;
inline constexpr unsigned long long kReasonSyncBoost = 0x10;
inline constexpr unsigned long long kReasonSwThermalSlowdown = 0x20;
inline constexpr unsigned long long kReasonHwThermalSlowdown = 0x40;
inline constexpr unsigned long long kReasonHwPowerBrakeSlowdown = 0x80;
inline constexpr unsigned long long kReasonDisplayClocks = 0x100;

static_assert(sizeof(void*) == 8, "NVML's layouts below are those of LP64");
static_assert(sizeof(PciInfo) == 68 && offsetof(PciInfo, domain) == 16 && offsetof(PciInfo, busId) == 36);
static_assert(sizeof(Utilization) == 8 && sizeof(Value) == 8);
static_assert(sizeof(FieldValue) == 40 && offsetof(FieldValue, timestamp) == 8 && offsetof(FieldValue, valueType) == 24 &&
              offsetof(FieldValue, nvmlReturn) == 28 && offsetof(FieldValue, value) == 32);
static_assert(sizeof(Temperature) == 12 && kTemperatureVersion == 0x0100000c);
static_assert(sizeof(MarginTemperature) == 8 && sizeof(Memory) == 24 && kMemoryV2Version == 0x02000028);
static_assert(kSramErrorsVersion == 0x01000068 && offsetof(SramErrors, bThresholdExceeded) == 96);
static_assert(sizeof(FabricInfo) == 28 && sizeof(FabricInfoV2) == 36 && kFabricInfoV3Version == 0x03000028);
static_assert(sizeof(RowHistogram) == 20);
static_assert(sizeof(ProcessInfo) == 24 && offsetof(ProcessInfo, gpuInstanceId) == 16);
static_assert(sizeof(GpmMetric) == 40 && offsetof(GpmMetrics, metrics) == 24);
static_assert(sizeof(EventData) == 32 && offsetof(EventData, eventData) == 16 && offsetof(EventData, gpuInstanceId) == 24);

}  // namespace faultline::nvml
