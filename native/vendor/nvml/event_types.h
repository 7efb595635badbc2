// The driver's event types that are waited for, as the words that all vendors share.
#pragma once

#include "core/vendor/words.h"

namespace faultline::nvml {

// Bits of nvml.h (nvmlEventType*). P-state and clock changes are left out of what is asked for where they say nothing:
// P-states change with every load; clock events exist on Kepler only, and cost nothing elsewhere.
struct EventType {
  unsigned long long bit;
  EventWord word;
};
inline constexpr EventType kEventTypes[]{
    {0x1, EventWord::kEccSingleBit},
    {0x2, EventWord::kEccDoubleBit},
    {0x8, EventWord::kXid},
    {0x10, EventWord::kClockChange},
    {0x80, EventWord::kPowerSourceChange},
    {0x100, EventWord::kMigConfigChange},
    {0x200, EventWord::kEccSingleBitStorm},
    {0x400, EventWord::kDramRetirement},
    {0x800, EventWord::kDramRetirementFailure},
    {0x1000, EventWord::kPoisonNonFatal},
    {0x2000, EventWord::kPoisonFatal},
    {0x4000, EventWord::kGpuUnavailable},
    {0x8000, EventWord::kRecoveryAction},
};

// Of what a device supports, what to register for. Asking for a bit that the driver does not know fails the whole call.
constexpr unsigned long long wanted_events(unsigned long long supported) {
  unsigned long long wanted = 0;
  for (const EventType& type : kEventTypes) wanted |= supported & type.bit;
  return wanted;
}

// kEnd for a type that was not asked for. An event has one type; of several bits an XID counts, else the lowest known one.
constexpr EventWord event_word_of(unsigned long long type) {
  constexpr unsigned long long kXid = 0x8;
  if ((type & kXid) != 0) return EventWord::kXid;
  for (const EventType& known : kEventTypes) {
    if ((type & known.bit) != 0) return known.word;
  }
  return EventWord::kEnd;
}

}  // namespace faultline::nvml
