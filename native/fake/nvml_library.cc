// Exports about the library and the identity of devices.
#include <cstdio>
#include <cstring>
#include <string>

#include "fake/exports.h"
#include "fake/probe.h"

using namespace faultline;
using faultline::fake::begin;

namespace {

nvml::Return put(const std::string& text, char* out, unsigned length) {
  if (out == nullptr) return nvml::kInvalidArgument;
  if (text.size() + 1 > length) return nvml::kInsufficientSize;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return nvml::kSuccess;
}

}  // namespace

FAULTLINE_EXPORT nvml::Return nvmlInit_v2() {
  const int error = fake::World::instance().enter("nvmlInit_v2", -1);
  if (error == 0) fake::World::instance().initialise(1);
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlShutdown() {
  const int error = begin("nvmlShutdown");
  if (error == 0) fake::World::instance().initialise(-1);
  return error;
}

FAULTLINE_EXPORT const char* nvmlErrorString(nvml::Return code) {
  switch (code) {
    case nvml::kSuccess:
      return "Success";
    case nvml::kUninitialized:
      return "Uninitialized";
    case nvml::kInvalidArgument:
      return "Invalid Argument";
    case nvml::kNotSupported:
      return "Not Supported";
    case nvml::kNoPermission:
      return "Insufficient Permissions";
    case nvml::kDriverNotLoaded:
      return "Driver Not Loaded";
    case nvml::kTimeout:
      return "Timeout";
    case nvml::kGpuIsLost:
      return "GPU is lost";
    case nvml::kLibRmVersionMismatch:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}

FAULTLINE_EXPORT nvml::Return nvmlSystemGetDriverVersion(char* version, unsigned length) {
  const int error = begin("nvmlSystemGetDriverVersion");
  return error != 0 ? error : put(fake::World::instance().driver(), version, length);
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetCount_v2(unsigned* count) {
  const int error = begin("nvmlDeviceGetCount_v2");
  if (error == 0) *count = static_cast<unsigned>(fake::World::instance().count());
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml::Device* device) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetHandleByIndex_v2", fake::handle_of(index), gpu, counters);
  if (error == 0) *device = fake::handle_of(index);
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetHandleByPciBusId_v2(const char* pci, nvml::Device* device) {
  if (const int error = begin("nvmlDeviceGetHandleByPciBusId_v2"); error != 0) return error;
  unsigned domain = 0, bus = 0, slot = 0;
  if (pci == nullptr || std::sscanf(pci, "%x:%x:%x", &domain, &bus, &slot) != 3) return nvml::kInvalidArgument;
  const auto count = static_cast<unsigned>(fake::World::instance().count());
  for (unsigned index = 0; index < count; ++index) {
    fake::Gpu gpu;
    fake::Counters counters;
    unsigned its_domain = 0, its_bus = 0, its_slot = 0;
    if (!fake::World::instance().gpu(static_cast<int>(index), gpu, counters)) continue;
    if (std::sscanf(gpu.pci.c_str(), "%x:%x:%x", &its_domain, &its_bus, &its_slot) != 3) continue;
    if (its_domain != domain || its_bus != bus || its_slot != slot) continue;
    // To open it is to touch it: it acts out its faults.
    const int error = begin("nvmlDeviceGetHandleByPciBusId_v2", fake::handle_of(index), gpu, counters);
    if (error == 0) *device = fake::handle_of(index);
    return error;
  }
  return nvml::kNotFound;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetIndex(nvml::Device device, unsigned* index) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetIndex", device, gpu, counters);
  if (error == 0) *index = static_cast<unsigned>(fake::index_of(device));
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetUUID(nvml::Device device, char* uuid, unsigned length) {
  fake::Instance instance;
  if (fake::index_of(device) < 0 && fake::begin_instance("nvmlDeviceGetUUID", device, instance) == 0) {
    return put(instance.uuid, uuid, length);
  }
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetUUID", device, gpu, counters);
  return error != 0 ? error : put(gpu.uuid, uuid, length);
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetName(nvml::Device device, char* name, unsigned length) {
  fake::Instance instance;
  if (fake::index_of(device) < 0 && fake::begin_instance("nvmlDeviceGetName", device, instance) == 0) {
    return put("NVIDIA H100 80GB HBM3 MIG 1g.10gb", name, length);
  }
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetName", device, gpu, counters);
  if (error != 0) return error;
  return put(gpu.probe.empty() ? gpu.name : fake::probe(gpu.probe).substr(0, length - 1), name, length);
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetSerial(nvml::Device device, char* serial, unsigned length) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetSerial", device, gpu, counters);
  return error != 0 ? error : put(gpu.serial, serial, length);
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetMinorNumber(nvml::Device device, unsigned* minor) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetMinorNumber", device, gpu, counters);
  if (error == 0) *minor = gpu.minor;
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetPciInfo_v3(nvml::Device device, nvml::PciInfo* info) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetPciInfo_v3", device, gpu, counters);
  if (error != 0) return error;
  *info = {};
  if (std::sscanf(gpu.pci.c_str(), "%x:%x:%x", &info->domain, &info->bus, &info->device) != 3) return nvml::kUnknown;
  // The real library writes an upper-case address with eight domain digits, and four in the legacy form.
  std::snprintf(info->busId, sizeof info->busId, "%08X:%02X:%02X.0", info->domain, info->bus, info->device);
  std::snprintf(info->busIdLegacy, sizeof info->busIdLegacy, "%04X:%02X:%02X.0", info->domain & 0xffff, info->bus & 0xff,
                info->device & 0xff);
  info->pciDeviceId = 0x233010de;
  return nvml::kSuccess;
}
