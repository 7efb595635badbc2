// Monotonic time, its one conversion to epoch milliseconds, and what the host's wall clock and suspends did meanwhile.
#include "core/clock.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace faultline {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// Three reads take under a microsecond; a thread that is preempted between them is away for a time slice or more.
constexpr std::int64_t kTogether = 1'000'000;

std::int64_t read_clock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

}  // namespace

std::int64_t monotonic_now() { return read_clock(CLOCK_MONOTONIC); }
std::int64_t realtime_now() { return read_clock(CLOCK_REALTIME); }
std::int64_t boottime_now() { return read_clock(CLOCK_BOOTTIME); }

SteadyClock::SteadyClock(std::optional<double> anchor_ms) {
  anchor_ms_ = anchor_ms ? *anchor_ms : static_cast<double>(realtime_now() - monotonic_now()) / 1e6;
}

double SteadyClock::to_ms(std::int64_t monotonic_ns) const { return anchor_ms_ + static_cast<double>(monotonic_ns) / 1e6; }

std::int64_t SteadyClock::from_ms(double epoch_ms) const {
  const double ns = (epoch_ms - anchor_ms_) * 1e6;
  if (std::isnan(ns)) return 0;
  constexpr double kLimit = 9.2e18;  // just inside int64
  if (ns >= kLimit) return std::numeric_limits<std::int64_t>::max();
  if (ns <= -kLimit) return std::numeric_limits<std::int64_t>::min();
  return std::llround(ns);
}

std::optional<ClockReading> read_clocks() {
  for (int tries = 0; tries < 3; ++tries) {
    const std::int64_t before = monotonic_now();
    const ClockReading now{before, realtime_now(), boottime_now()};
    if (monotonic_now() - before <= kTogether) return now;
  }
  return std::nullopt;
}

ClockWatch::ClockWatch(const ClockReading& now)
    : real_offset_(now.realtime - now.boottime), boot_offset_(now.boottime - now.monotonic), previous_(now.monotonic) {}

std::optional<ClockJump> ClockWatch::check(const ClockReading& now) {
  const std::int64_t elapsed = std::max<std::int64_t>(0, now.monotonic - previous_);
  const std::int64_t drift = kTogether + elapsed / kDriftParts;
  const std::int64_t slept = now.boottime - now.monotonic - boot_offset_;
  const std::int64_t stepped = now.realtime - now.boottime - real_offset_;
  ClockJump jump;
  jump.previous_ns = std::exchange(previous_, now.monotonic);
  if (slept > kSuspend) jump.suspended_ms = static_cast<double>(slept) / 1e6;
  if (std::llabs(stepped) > kStep + drift) jump.step_ms = static_cast<double>(stepped) / 1e6;
  // Small steps in a row add up until they are reported; what drifts is followed.
  if (jump.suspended_ms != 0 || std::llabs(slept) <= drift) boot_offset_ += slept;
  if (jump.step_ms != 0 || std::llabs(stepped) <= drift) real_offset_ += stepped;
  if (jump.suspended_ms == 0 && jump.step_ms == 0) return std::nullopt;
  return jump;
}

}  // namespace faultline
