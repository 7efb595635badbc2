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

// The three clocks at (nearly) one moment, in ns.
struct ClockReading {
  std::int64_t monotonic;
  std::int64_t realtime;
  std::int64_t boottime;
};

// None where the thread was held up between the reads each time that it tried: they are of different moments then.
std::optional<ClockReading> read_clocks();

struct ClockJump {
  double step_ms = 0;       // how far the wall clock was set, signed; 0: it was not
  double suspended_ms = 0;  // how long the host slept; 0: it did not
  std::int64_t previous_ns = 0;  // monotonic time of the last look: it happened after that
};

// Notices when the wall clock goes another way than the monotonic one. The kernel slews both alike (adjtimex, so NTP's
// 500 ppm and chrony's faster ones show in neither), so what is left is a step (settimeofday, ADJ_SETOFFSET, a leap second)
// or a suspend, which CLOCK_BOOTTIME counts and CLOCK_MONOTONIC does not. Not thread-safe.
class ClockWatch {
 public:
  // ntpd steps from 128 ms on, systemd-timesyncd from 400 ms on; what is read here is good to kTogether.
  static constexpr std::int64_t kStep = 100'000'000;
  // A suspend shorter than this changes no order that matters.
  static constexpr std::int64_t kSuspend = 1'000'000'000;
  // Clocks of a virtual machine monitor may drift apart; twice NTP's limit is followed in silence.
  static constexpr std::int64_t kDriftParts = 1000;

  explicit ClockWatch(const ClockReading& now);
  std::optional<ClockJump> check(const ClockReading& now);

 private:
  std::int64_t real_offset_;  // of the wall clock to boot time
  std::int64_t boot_offset_;  // of boot time to the monotonic clock
  std::int64_t previous_;
};

}  // namespace faultline
