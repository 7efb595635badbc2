// Exports that are read seldom. A call that gives one number gives what "gpu.N.value.SYMBOL[.ARGUMENT…]" says, else a
// healthy device's.
#include <cstring>
#include <string>

#include "fake/exports.h"
#include "fake/fields.h"

using namespace faultline;
using faultline::fake::begin;

namespace {

unsigned long long value_of(const fake::Gpu& gpu, std::string_view key, unsigned long long otherwise) {
  const auto found = gpu.values.find(key);
  return found == gpu.values.end() ? otherwise : found->second;
}

nvml::Return number(const char* symbol, nvml::Device device, unsigned* out, unsigned long long otherwise) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin(symbol, device, gpu, counters);
  if (error == 0) *out = static_cast<unsigned>(value_of(gpu, symbol, otherwise));
  return error;
}

bool before(const fake::Gpu& gpu, fake::Architecture architecture) { return gpu.architecture < architecture; }

}  // namespace

#define FAULTLINE_NUMBER(symbol, otherwise) \
  FAULTLINE_EXPORT nvml::Return symbol(nvml::Device device, unsigned* out) { return number(#symbol, device, out, otherwise); }

FAULTLINE_NUMBER(nvmlDeviceGetPerformanceState, 0)
FAULTLINE_NUMBER(nvmlDeviceGetPowerManagementLimit, 700'000)
FAULTLINE_NUMBER(nvmlDeviceGetPowerManagementDefaultLimit, 700'000)
FAULTLINE_NUMBER(nvmlDeviceGetCurrPcieLinkGeneration, 5)
FAULTLINE_NUMBER(nvmlDeviceGetCurrPcieLinkWidth, 16)
FAULTLINE_NUMBER(nvmlDeviceGetMaxPcieLinkGeneration, 5)
FAULTLINE_NUMBER(nvmlDeviceGetMaxPcieLinkWidth, 16)
FAULTLINE_NUMBER(nvmlDeviceGetPcieReplayCounter, 0)
FAULTLINE_NUMBER(nvmlDeviceGetNumaNodeId, 0)

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetModuleId(nvml::Device device, unsigned* out) {
  return number("nvmlDeviceGetModuleId", device, out, static_cast<unsigned>(fake::index_of(device)) + 1);
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetArchitecture(nvml::Device device, unsigned* out) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetArchitecture", device, gpu, counters);
  if (error == 0) *out = static_cast<unsigned>(gpu.architecture);
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetPowerManagementLimitConstraints(nvml::Device device, unsigned* least, unsigned* most) {
  const int error = number("nvmlDeviceGetPowerManagementLimitConstraints", device, most, 700'000);
  if (error == 0) *least = 200'000;
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetMaxClockInfo(nvml::Device device, unsigned type, unsigned* megahertz) {
  return number("nvmlDeviceGetMaxClockInfo", device, megahertz, type == nvml::kClockSm ? 1980 : 2619);
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetMarginTemperature(nvml::Device device, nvml::MarginTemperature* margin) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetMarginTemperature", device, gpu, counters);
  if (error != 0) return error;
  if (margin->version != nvml::kMarginTemperatureVersion) return nvml::kArgumentVersionMismatch;
  if (before(gpu, fake::Architecture::kHopper)) return nvml::kNotSupported;
  margin->marginTemperature = static_cast<int>(gpu.slowdown_c) - 2 - static_cast<int>(gpu.temperature);
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetMemoryInfo_v2(nvml::Device device, nvml::MemoryV2* memory) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetMemoryInfo_v2", device, gpu, counters);
  if (error != 0) return error;
  if (memory->version != nvml::kMemoryV2Version) return nvml::kArgumentVersionMismatch;
  memory->total = 80ULL << 30;
  memory->reserved = 512ULL << 20;
  memory->used = value_of(gpu, "nvmlDeviceGetMemoryInfo_v2", 60ULL << 30);
  memory->free = memory->total - memory->reserved - memory->used;
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetMemoryInfo(nvml::Device device, nvml::Memory* memory) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetMemoryInfo", device, gpu, counters);
  if (error == 0) *memory = {80ULL << 30, 20ULL << 30, 60ULL << 30};
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetEccMode(nvml::Device device, unsigned* current, unsigned* pending) {
  const int error = number("nvmlDeviceGetEccMode", device, current, 1);
  if (error == 0) *pending = *current;
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetMemoryErrorCounter(nvml::Device device, unsigned type, unsigned counter,
                                                              unsigned place, unsigned long long* count) {
  fake::Gpu gpu;
  fake::Counters counters;
  if (fake::is_instance_handle(device)) {
    fake::Instance instance;
    fake::InstanceScript script;
    const int error = fake::begin_instance("nvmlDeviceGetMemoryErrorCounter", device, instance, &script);
    if (error == 0 && (type != nvml::kErrorUncorrected || place == nvml::kPlaceDram)) return nvml::kNotSupported;
    if (error == 0) *count = script.uncorrected;
    return error;
  }
  const int error = begin("nvmlDeviceGetMemoryErrorCounter", device, gpu, counters);
  if (error != 0) return error;
  // nvml.h: counts since the driver was loaded are given for instances only, where there are some.
  if (gpu.mig && counter == nvml::kCounterVolatile) return nvml::kNotSupported;
  if (type > 1 || counter > 1 || place > 7) return nvml::kInvalidArgument;
  if (place != nvml::kPlaceSram && place != nvml::kPlaceDram) return nvml::kNotSupported;
  *count = value_of(gpu, "nvmlDeviceGetMemoryErrorCounter." + std::to_string(type) + "." + std::to_string(place), 0);
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetRowRemapperHistogram(nvml::Device device, nvml::RowHistogram* banks) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetRowRemapperHistogram", device, gpu, counters);
  if (error != 0) return error;
  if (before(gpu, fake::Architecture::kAmpere)) return nvml::kNotSupported;
  const auto of = [&](const char* level, unsigned otherwise) {
    return static_cast<unsigned>(value_of(gpu, "nvmlDeviceGetRowRemapperHistogram." + std::string(level), otherwise));
  };
  *banks = {of("max", 640), of("high", 0), of("partial", 0), of("low", 0), of("none", 0)};
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetSramEccErrorStatus(nvml::Device device, nvml::SramErrors* errors) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetSramEccErrorStatus", device, gpu, counters);
  if (error != 0) return error;
  if (errors->version != nvml::kSramErrorsVersion) return nvml::kArgumentVersionMismatch;
  if (before(gpu, fake::Architecture::kAmpere)) return nvml::kNotSupported;
  errors->bThresholdExceeded = static_cast<unsigned>(value_of(gpu, "nvmlDeviceGetSramEccErrorStatus", 0));
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetNvLinkState(nvml::Device device, unsigned link, unsigned* state) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetNvLinkState", device, gpu, counters);
  if (error != 0) return error;
  if (link >= fake::links_of(gpu)) return nvml::kInvalidArgument;
  *state = fake::link_is_up(gpu, link) ? nvml::kLinkUp : nvml::kLinkDown;
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetNvLinkErrorCounter(nvml::Device device, unsigned link, unsigned counter,
                                                              unsigned long long* count) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetNvLinkErrorCounter", device, gpu, counters);
  if (error != 0) return error;
  if (link >= fake::links_of(gpu) || counter > 4) return nvml::kInvalidArgument;
  if (!before(gpu, fake::Architecture::kHopper) || !fake::link_is_up(gpu, link)) return nvml::kNotSupported;
  *count = value_of(gpu, "nvmlDeviceGetNvLinkErrorCounter." + std::to_string(link) + "." + std::to_string(counter), 0);
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetGpuFabricInfoV(nvml::Device device, void* info) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetGpuFabricInfoV", device, gpu, counters);
  if (error != 0) return error;
  unsigned version = 0;
  std::memcpy(&version, info, sizeof version);
  // The third version came with 12.8; both begin alike.
  const bool third = version == nvml::kFabricInfoV3Version && fake::branch_of(fake::World::instance().driver()) >= 570;
  if (!third && version != nvml::kFabricInfoV2Version) return nvml::kArgumentVersionMismatch;
  if (before(gpu, fake::Architecture::kHopper)) return nvml::kNotSupported;
  auto* second = static_cast<nvml::FabricInfoV2*>(info);
  second->state = static_cast<unsigned char>(value_of(gpu, "nvmlDeviceGetGpuFabricInfoV.state", nvml::kFabricCompleted));
  second->status = static_cast<nvml::Return>(value_of(gpu, "nvmlDeviceGetGpuFabricInfoV.status", nvml::kSuccess));
  second->healthMask = static_cast<unsigned>(value_of(gpu, "nvmlDeviceGetGpuFabricInfoV.health", 0xaa));
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetGpuFabricInfo(nvml::Device device, nvml::FabricInfo* info) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetGpuFabricInfo", device, gpu, counters);
  if (error != 0) return error;
  if (before(gpu, fake::Architecture::kHopper)) return nvml::kNotSupported;
  info->state = nvml::kFabricCompleted;
  info->status = nvml::kSuccess;
  return nvml::kSuccess;
}
