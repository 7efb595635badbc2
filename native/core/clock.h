// Monotonic time, its one conversion to epoch milliseconds, and what the host's wall clock and suspends did meanwhile.
#pragma once

#include <cstdint>
#include <optional>

namespace faultline {

std::int64_t monotonic_now();  // CLOCK_MONOTONIC, ns
std::int64_t realtime_now();   // CLOCK_REALTIME, ns
std::int64_t boottime_now();   // CLOCK_BOOTTIME, ns: MONOTONIC plus time spent suspended

// The steady clock that JavaScript sees: wall time is added once, so a stepped wall clock never reorders samples.
class SteadyClock {
 public:
  // `anchor_ms`: the epoch ms of monotonic 0; by default taken from the wall clock now.
  explicit SteadyClock(std::optional<double> anchor_ms = std::nullopt);
  double to_ms(std::int64_t monotonic_ns) const;
  // Saturates outside the range of int64 ns; NaN gives 0.
  std::int64_t from_ms(double epoch_ms) const;

 private:
  double anchor_ms_;
};

struct ClockJump {
  bool suspended;   // else the wall clock was stepped
  double step_ms;   // how far, signed
};

// Notices steps of more than a second. Not thread-safe.
class ClockWatch {
 public:
  ClockWatch();
  // With times read by the caller, all in ns.
  std::optional<ClockJump> check(std::int64_t monotonic, std::int64_t realtime, std::int64_t boottime);

 private:
  std::int64_t real_offset_;
  std::int64_t boot_offset_;
};

}  // namespace faultline
