// The driver's event types that are waited for, by the names under which they reach the daemon.
#pragma once

#include <string_view>

namespace faultline {

// Bits of nvml.h (nvmlEventType*). P-state and clock changes are left out of what is asked for where they say nothing:
// P-states change with every load; clock events exist on Kepler only, and cost nothing elsewhere.
struct EventType {
  unsigned long long bit;
  std::string_view name;
};
inline constexpr EventType kEventTypes[]{
    {0x1, "ecc_single_bit"},
    {0x2, "ecc_double_bit"},
    {0x8, "xid"},
    {0x10, "clock_change"},
    {0x80, "power_source_change"},
    {0x100, "mig_config_change"},
    {0x200, "ecc_single_bit_storm"},
    {0x400, "dram_retirement"},
    {0x800, "dram_retirement_failure"},
    {0x1000, "poison_non_fatal"},
    {0x2000, "poison_fatal"},
    {0x4000, "gpu_unavailable"},
    {0x8000, "recovery_action"},
};

// Of what a device supports, what to register for. Asking for a bit that the driver does not know fails the whole call.
constexpr unsigned long long wanted_events(unsigned long long supported) {
  unsigned long long wanted = 0;
  for (const EventType& type : kEventTypes) wanted |= supported & type.bit;
  return wanted;
}

// Empty for a type that was not asked for. An event has one type; of several bits the lowest known one counts.
constexpr std::string_view event_name(unsigned long long type) {
  for (const EventType& known : kEventTypes) {
    if ((type & known.bit) != 0) return known.name;
  }
  return {};
}

}  // namespace faultline
