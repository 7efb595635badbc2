// NVML as found at run time: every symbol looked up apart, a missing one is a missing capability.
#pragma once

#include <string>

#include "vendor/call_context.h"
#include "vendor/nvml/fields.h"
#include "vendor/nvml/system_events_abi.h"

namespace faultline {

struct NvmlLibrary {
  using Return = nvml::Return;
  using Device = nvml::Device;
  using EventSet = nvml::EventSet;

  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  const char* (*error_string)(Return) = nullptr;
  Return (*driver_version)(char*, unsigned) = nullptr;
  Return (*count)(unsigned*) = nullptr;
  Return (*handle_by_index)(unsigned, Device*) = nullptr;
  Return (*handle_by_pci)(const char*, Device*) = nullptr;
  Return (*index)(Device, unsigned*) = nullptr;
  Return (*uuid)(Device, char*, unsigned) = nullptr;
  Return (*name)(Device, char*, unsigned) = nullptr;
  Return (*serial)(Device, char*, unsigned) = nullptr;
  Return (*pci_info)(Device, nvml::PciInfo*) = nullptr;
  Return (*minor_number)(Device, unsigned*) = nullptr;
  Return (*field_values)(Device, int, nvml::FieldValue*) = nullptr;
  Return (*event_reasons)(Device, unsigned long long*) = nullptr;
  Return (*temperature_v)(Device, nvml::Temperature*) = nullptr;
  Return (*temperature)(Device, unsigned, unsigned*) = nullptr;
  Return (*temperature_threshold)(Device, unsigned, unsigned*) = nullptr;
  Return (*clock_info)(Device, unsigned, unsigned*) = nullptr;
  Return (*enforced_power_limit)(Device, unsigned*) = nullptr;
  Return (*power_usage)(Device, unsigned*) = nullptr;
  Return (*total_energy)(Device, unsigned long long*) = nullptr;
  Return (*utilization)(Device, nvml::Utilization*) = nullptr;
  Return (*event_set_create)(EventSet*) = nullptr;
  Return (*supported_event_types)(Device, unsigned long long*) = nullptr;
  Return (*register_events)(Device, unsigned long long, EventSet) = nullptr;
  Return (*event_set_wait)(EventSet, nvml::EventData*, unsigned) = nullptr;
  Return (*event_set_free)(EventSet) = nullptr;

  Return (*system_event_set_create)(nvml::SystemEventSetCreate*) = nullptr;
  Return (*system_register_events)(nvml::SystemRegisterEvents*) = nullptr;
  Return (*system_event_set_wait)(nvml::SystemEventSetWait*) = nullptr;
  Return (*system_event_set_free)(nvml::SystemEventSetFree*) = nullptr;

  // Of the slow lane.
  Return (*margin_temperature)(Device, nvml::MarginTemperature*) = nullptr;
  Return (*max_clock_info)(Device, unsigned, unsigned*) = nullptr;
  Return (*performance_state)(Device, unsigned*) = nullptr;
  Return (*memory_info_v2)(Device, nvml::MemoryV2*) = nullptr;
  Return (*memory_info)(Device, nvml::Memory*) = nullptr;
  Return (*power_limit_requested)(Device, unsigned*) = nullptr;
  Return (*power_limit_constraints)(Device, unsigned*, unsigned*) = nullptr;
  Return (*power_limit_default)(Device, unsigned*) = nullptr;
  Return (*ecc_mode)(Device, unsigned*, unsigned*) = nullptr;
  Return (*memory_error_counter)(Device, unsigned, unsigned, unsigned, unsigned long long*) = nullptr;
  Return (*sram_errors)(Device, nvml::SramErrors*) = nullptr;
  Return (*pcie_generation)(Device, unsigned*) = nullptr;
  Return (*pcie_width)(Device, unsigned*) = nullptr;
  Return (*pcie_generation_max)(Device, unsigned*) = nullptr;
  Return (*pcie_width_max)(Device, unsigned*) = nullptr;
  Return (*pcie_replays)(Device, unsigned*) = nullptr;
  Return (*link_state)(Device, unsigned, unsigned*) = nullptr;
  Return (*link_error_counter)(Device, unsigned, unsigned, unsigned long long*) = nullptr;
  Return (*fabric_info_v)(Device, void*) = nullptr;
  Return (*fabric_info)(Device, nvml::FabricInfo*) = nullptr;
  Return (*gpm_support)(Device, nvml::GpmSupport*) = nullptr;
  Return (*gpm_sample_alloc)(nvml::GpmSample*) = nullptr;
  Return (*gpm_sample_free)(nvml::GpmSample) = nullptr;
  Return (*gpm_sample_get)(Device, nvml::GpmSample) = nullptr;
  Return (*row_histogram)(Device, nvml::RowHistogram*) = nullptr;
  Return (*gpm_mig_sample_get)(Device, unsigned, nvml::GpmSample) = nullptr;
  Return (*gpm_metrics_get)(nvml::GpmMetrics*) = nullptr;
  Return (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;
  Return (*max_mig_devices)(Device, unsigned*) = nullptr;
  Return (*mig_device)(Device, unsigned, Device*) = nullptr;
  Return (*gpu_instance_id)(Device, unsigned*) = nullptr;
  Return (*compute_instance_id)(Device, unsigned*) = nullptr;
  Return (*compute_processes)(Device, unsigned*, nvml::ProcessInfo*) = nullptr;
  Return (*module_id)(Device, unsigned*) = nullptr;
  Return (*numa_node)(Device, unsigned*) = nullptr;
  Return (*architecture)(Device, unsigned*) = nullptr;

  // "text (code)"; usable whether or not the library is loaded.
  std::string describe(Return code) const;
};

enum class LoadResult { kLoaded, kAbsent, kFailed };

// Tries `library` (a path, or a soname and then the places where distributions and container toolkits put it).
LoadResult load_nvml(const std::string& library, CallContext& calls, NvmlLibrary& nvml, std::string& why);

}  // namespace faultline
