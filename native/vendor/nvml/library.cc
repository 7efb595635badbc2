// Finds, opens and looks up NVML.
#include "vendor/nvml/library.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

#include "vendor/library_file.h"

namespace faultline {
namespace {

// Distribution paths, the GPU operator's driver root, WSL.
constexpr std::array<const char*, 6> kFolders{
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
    "/run/nvidia/driver/usr/lib/x86_64-linux-gnu", "/run/nvidia/driver/usr/lib64", "/usr/lib/wsl/lib",
};

std::vector<std::string> candidates(const std::string& library) {
  std::vector<std::string> paths{library};
  if (library.find('/') != std::string::npos) return paths;
  for (const char* folder : kFolders) paths.push_back(std::string(folder) + "/" + library);
  return paths;
}

bool exists(const std::string& path) {
  struct stat status {};
  return path.find('/') != std::string::npos && stat(path.c_str(), &status) == 0;
}

template <class Function>
void look_up(void* handle, Function& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (function != nullptr) return;
  }
}

void look_up_all(void* handle, NvmlLibrary& nvml) {
  look_up(handle, nvml.init, {"nvmlInit_v2", "nvmlInit"});
  look_up(handle, nvml.shutdown, {"nvmlShutdown"});
  look_up(handle, nvml.error_string, {"nvmlErrorString"});
  look_up(handle, nvml.driver_version, {"nvmlSystemGetDriverVersion"});
  look_up(handle, nvml.count, {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"});
  look_up(handle, nvml.handle_by_index, {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"});
  look_up(handle, nvml.handle_by_pci, {"nvmlDeviceGetHandleByPciBusId_v2"});
  look_up(handle, nvml.index, {"nvmlDeviceGetIndex"});
  look_up(handle, nvml.uuid, {"nvmlDeviceGetUUID"});
  look_up(handle, nvml.name, {"nvmlDeviceGetName"});
  look_up(handle, nvml.serial, {"nvmlDeviceGetSerial"});
  // _v2 has the layout of _v3; the unsuffixed one is shorter, but nothing so old is left in the field.
  look_up(handle, nvml.pci_info, {"nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2"});
  look_up(handle, nvml.minor_number, {"nvmlDeviceGetMinorNumber"});
  look_up(handle, nvml.field_values, {"nvmlDeviceGetFieldValues"});
  look_up(handle, nvml.event_reasons,
          {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  look_up(handle, nvml.temperature_v, {"nvmlDeviceGetTemperatureV"});
  look_up(handle, nvml.temperature, {"nvmlDeviceGetTemperature"});
  look_up(handle, nvml.temperature_threshold, {"nvmlDeviceGetTemperatureThreshold"});
  look_up(handle, nvml.clock_info, {"nvmlDeviceGetClockInfo"});
  look_up(handle, nvml.enforced_power_limit, {"nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"});
  look_up(handle, nvml.power_usage, {"nvmlDeviceGetPowerUsage"});
  look_up(handle, nvml.total_energy, {"nvmlDeviceGetTotalEnergyConsumption"});
  look_up(handle, nvml.utilization, {"nvmlDeviceGetUtilizationRates"});
  look_up(handle, nvml.event_set_create, {"nvmlEventSetCreate"});
  look_up(handle, nvml.supported_event_types, {"nvmlDeviceGetSupportedEventTypes"});
  look_up(handle, nvml.register_events, {"nvmlDeviceRegisterEvents"});
  // The unsuffixed one leaves the last two members of the event unset, which are not used.
  look_up(handle, nvml.event_set_wait, {"nvmlEventSetWait_v2", "nvmlEventSetWait"});
  look_up(handle, nvml.event_set_free, {"nvmlEventSetFree"});
  look_up(handle, nvml.system_event_set_create, {"nvmlSystemEventSetCreate"});
  look_up(handle, nvml.system_register_events, {"nvmlSystemRegisterEvents"});
  look_up(handle, nvml.system_event_set_wait, {"nvmlSystemEventSetWait"});
  look_up(handle, nvml.system_event_set_free, {"nvmlSystemEventSetFree"});
}

// Most libraries lack some of these: what is older than its driver knows only a part.
void look_up_slow_lane(void* handle, NvmlLibrary& nvml) {
  look_up(handle, nvml.margin_temperature, {"nvmlDeviceGetMarginTemperature"});
  look_up(handle, nvml.max_clock_info, {"nvmlDeviceGetMaxClockInfo"});
  look_up(handle, nvml.performance_state, {"nvmlDeviceGetPerformanceState"});
  look_up(handle, nvml.memory_info_v2, {"nvmlDeviceGetMemoryInfo_v2"});
  look_up(handle, nvml.memory_info, {"nvmlDeviceGetMemoryInfo"});
  look_up(handle, nvml.power_limit_requested, {"nvmlDeviceGetPowerManagementLimit"});
  look_up(handle, nvml.power_limit_constraints, {"nvmlDeviceGetPowerManagementLimitConstraints"});
  look_up(handle, nvml.power_limit_default, {"nvmlDeviceGetPowerManagementDefaultLimit"});
  look_up(handle, nvml.ecc_mode, {"nvmlDeviceGetEccMode"});
  look_up(handle, nvml.memory_error_counter, {"nvmlDeviceGetMemoryErrorCounter"});
  look_up(handle, nvml.sram_errors, {"nvmlDeviceGetSramEccErrorStatus"});
  look_up(handle, nvml.pcie_generation, {"nvmlDeviceGetCurrPcieLinkGeneration"});
  look_up(handle, nvml.pcie_width, {"nvmlDeviceGetCurrPcieLinkWidth"});
  look_up(handle, nvml.pcie_generation_max, {"nvmlDeviceGetMaxPcieLinkGeneration"});
  look_up(handle, nvml.pcie_width_max, {"nvmlDeviceGetMaxPcieLinkWidth"});
  look_up(handle, nvml.pcie_replays, {"nvmlDeviceGetPcieReplayCounter"});
  look_up(handle, nvml.link_state, {"nvmlDeviceGetNvLinkState"});
  look_up(handle, nvml.link_error_counter, {"nvmlDeviceGetNvLinkErrorCounter"});
  look_up(handle, nvml.fabric_info_v, {"nvmlDeviceGetGpuFabricInfoV"});
  look_up(handle, nvml.fabric_info, {"nvmlDeviceGetGpuFabricInfo"});
  look_up(handle, nvml.gpm_support, {"nvmlGpmQueryDeviceSupport"});
  look_up(handle, nvml.gpm_sample_alloc, {"nvmlGpmSampleAlloc"});
  look_up(handle, nvml.gpm_sample_free, {"nvmlGpmSampleFree"});
  look_up(handle, nvml.gpm_sample_get, {"nvmlGpmSampleGet"});
  look_up(handle, nvml.row_histogram, {"nvmlDeviceGetRowRemapperHistogram"});
  look_up(handle, nvml.gpm_mig_sample_get, {"nvmlGpmMigSampleGet"});
  look_up(handle, nvml.gpm_metrics_get, {"nvmlGpmMetricsGet"});
  look_up(handle, nvml.mig_mode, {"nvmlDeviceGetMigMode"});
  look_up(handle, nvml.max_mig_devices, {"nvmlDeviceGetMaxMigDeviceCount"});
  look_up(handle, nvml.mig_device, {"nvmlDeviceGetMigDeviceHandleByIndex"});
  look_up(handle, nvml.gpu_instance_id, {"nvmlDeviceGetGpuInstanceId"});
  look_up(handle, nvml.compute_instance_id, {"nvmlDeviceGetComputeInstanceId"});
  look_up(handle, nvml.compute_processes, {"nvmlDeviceGetComputeRunningProcesses_v3"});
  look_up(handle, nvml.module_id, {"nvmlDeviceGetModuleId"});
  look_up(handle, nvml.numa_node, {"nvmlDeviceGetNumaNodeId"});
  look_up(handle, nvml.architecture, {"nvmlDeviceGetArchitecture"});
}

}  // namespace

std::string NvmlLibrary::describe(Return code) const {
  const char* text = error_string != nullptr ? error_string(code) : nullptr;
  return (text != nullptr ? std::string(text) : std::string("NVML error")) + " (" + std::to_string(code) + ")";
}

LoadResult load_nvml(const std::string& library, CallContext& calls, NvmlLibrary& nvml, std::string& why) {
  bool damaged = false;
  for (const std::string& path : candidates(library)) {
    if (path != library && !exists(path)) continue;
    if (path.find('/') != std::string::npos) {
      if (std::string fault = library_fault(path); !fault.empty()) {
        damaged = true;
        why = std::move(fault);
        continue;
      }
    }
    calls.enter(VendorCall::kDlopen, kNoDevice);
    void* handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    const char* error = handle == nullptr ? dlerror() : nullptr;
    calls.leave();
    if (handle != nullptr) {
      look_up_all(handle, nvml);
      look_up_slow_lane(handle, nvml);
      if (nvml.init != nullptr && nvml.count != nullptr && nvml.handle_by_index != nullptr) return LoadResult::kLoaded;
      why = path + " is no NVML: nvmlInit_v2 or the calls that list devices are not in it";
      return LoadResult::kFailed;
    }
    // The loader's text is the only thing that tells "not there" from "there and unusable" for a bare soname.
    const std::string text = error != nullptr ? error : "unknown loader error";
    const bool absent = path.find('/') != std::string::npos ? !exists(path)
                                                            : text.find("No such file") != std::string::npos;
    if (!absent) {
      damaged = true;
      why = text;
    }
  }
  if (damaged) return LoadResult::kFailed;
  why = "library not found: " + library;
  return LoadResult::kAbsent;
}

}  // namespace faultline
