// NVML as found at run time: every symbol looked up apart, a missing one is a missing capability.
#pragma once

#include <string>

#include "vendor/call_context.h"

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

  // "text (code)"; usable whether or not the library is loaded.
  std::string describe(Return code) const;
};

enum class LoadResult { kLoaded, kAbsent, kFailed };

// Tries `library` (a path, or a soname and then the places where distributions and container toolkits put it).
LoadResult load_nvml(const std::string& library, CallContext& calls, NvmlLibrary& nvml, std::string& why);

}  // namespace faultline
