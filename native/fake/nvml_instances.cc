// Exports about MIG instances and compute processes.
#include "fake/exports.h"

using namespace faultline;
using faultline::fake::begin;

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetMigMode(nvml::Device device, unsigned* current, unsigned* pending) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetMigMode", device, gpu, counters);
  if (error != 0) return error;
  if (gpu.architecture < fake::Architecture::kAmpere) return nvml::kNotSupported;
  *current = *pending = gpu.mig ? 1 : 0;
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetMaxMigDeviceCount(nvml::Device device, unsigned* count) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetMaxMigDeviceCount", device, gpu, counters);
  if (error == 0) *count = fake::kMostInstances;
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetMigDeviceHandleByIndex(nvml::Device device, unsigned index, nvml::Device* instance) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetMigDeviceHandleByIndex", device, gpu, counters);
  if (error != 0) return error;
  if (index >= fake::kMostInstances) return nvml::kInvalidArgument;
  if (!gpu.mig || index >= gpu.instances.size()) return nvml::kNotFound;
  *instance = fake::instance_handle_of(fake::index_of(device), index);
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetGpuInstanceId(nvml::Device device, unsigned* id) {
  fake::Instance instance;
  const int error = fake::begin_instance("nvmlDeviceGetGpuInstanceId", device, instance);
  if (error == 0) *id = instance.gpu_instance;
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetComputeInstanceId(nvml::Device device, unsigned* id) {
  fake::Instance instance;
  const int error = fake::begin_instance("nvmlDeviceGetComputeInstanceId", device, instance);
  if (error == 0) *id = instance.compute_instance;
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetComputeRunningProcesses_v3(nvml::Device device, unsigned* count,
                                                                      nvml::ProcessInfo* infos) {
  fake::Gpu gpu;
  fake::Counters counters;
  fake::Instance instance;
  const bool of_part = fake::is_instance_handle(device);
  constexpr const char* kName = "nvmlDeviceGetComputeRunningProcesses_v3";
  const int error = of_part ? fake::begin_instance(kName, device, instance, nullptr, &gpu) : begin(kName, device, gpu, counters);
  if (error != 0) return error;
  // As for whoever is not root.
  if (!of_part && gpu.mig) return nvml::kNoPermission;
  const std::vector<unsigned>& pids = of_part ? gpu.instance_processes[instance.gpu_instance] : gpu.processes;
  const auto there = static_cast<unsigned>(pids.size());
  const bool fits = there <= *count;
  *count = there;
  if (!fits) return nvml::kInsufficientSize;
  for (unsigned i = 0; i < there; ++i) {
    infos[i] = {pids[i], 1ULL << 30, of_part ? instance.gpu_instance : nvml::kNoInstance, of_part ? instance.compute_instance : nvml::kNoInstance};
  }
  return nvml::kSuccess;
}
