// Monotonic time, its one conversion to epoch milliseconds, and what the host's wall clock and suspends did meanwhile.
#include "core/clock.h"

#include <time.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace faultline {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

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

ClockWatch::ClockWatch() {
  const std::int64_t monotonic = monotonic_now();
  real_offset_ = realtime_now() - monotonic;
  boot_offset_ = boottime_now() - monotonic;
}

std::optional<ClockJump> ClockWatch::check(std::int64_t monotonic, std::int64_t realtime, std::int64_t boottime) {
  const std::int64_t slept = boottime - monotonic - boot_offset_;
  const std::int64_t moved = realtime - monotonic - real_offset_;
  boot_offset_ += slept;
  // The wall clock goes on during a suspend; only what the suspend does not explain was a step. Slewing is followed.
  real_offset_ += moved;
  if (slept > kSecond) return ClockJump{true, static_cast<double>(slept) / 1e6};
  const std::int64_t stepped = moved - slept;
  if (std::llabs(stepped) > kSecond) return ClockJump{false, static_cast<double>(stepped) / 1e6};
  return std::nullopt;
}

}  // namespace faultline
