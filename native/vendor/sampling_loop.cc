// Runs rounds when they are due and reports what they say about the library as a whole.
#include "vendor/sampling_loop.h"

#include <unistd.h>

#include <algorithm>

#include "core/vendor/protocol.h"

namespace faultline {
namespace {

constexpr std::int64_t kCountEveryNs = 30'000'000'000;
constexpr std::int64_t kBeatNs = 20'000'000'000;  // of a child that only waits for events
constexpr int kRoundsUntilAccessLost = 2;  // a driver that is busy resetting answers "unknown" for a moment

}  // namespace

sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR1);
  return set;
}

// Absolute, so that work does not drift it.
SamplingLoop::Woken SamplingLoop::sleep_until(std::int64_t until_ns) const {
  const std::int64_t left = std::max<std::int64_t>(0, until_ns - monotonic_now());
  const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
  switch (sigtimedwait(&signals_, nullptr, &timeout)) {
    case SIGTERM:
      return Woken::kTerminate;
    case SIGUSR1:
      return Woken::kSomethingChanged;
    default:
      return Woken::kDue;
  }
}

int SamplingLoop::run() {
  std::int64_t due = monotonic_now();
  count_due_ns_ = due + kCountEveryNs;
  for (;;) {
    if (getppid() != parts_.parent) return kExitOrphaned;
    const std::int64_t started = due;
    const bool polled = wanted_ns() != kEventsOnly;
    if (polled) {
      if (const auto ends = round(started)) return *ends;
    }
    parts_.reporter.tick();
    due = started + (polled ? next_ns_ : kBeatNs);
    const std::int64_t now = monotonic_now();
    if (const auto ends = devices_changed(now)) return *ends;
    if (due < now) due = now + (polled ? next_ns_ : kBeatNs);  // rounds that were missed are missed
    for (;;) {
      const Woken woken = sleep_until(due);
      if (woken == Woken::kTerminate) return 0;
      if (woken == Woken::kDue) break;
      if (const auto ends = devices_changed(monotonic_now())) return *ends;
      const std::int64_t wanted = wanted_ns();
      due = wanted == kEventsOnly ? due : std::max(monotonic_now(), started + lanes_.interval_ns(wanted));
    }
  }
}

std::optional<int> SamplingLoop::round(std::int64_t started) {
  heed_events();
  const bool slow = lanes_.slow_due(started);
  if (slow) lanes_.slow_begins(started, spent_since_slow_pass());
  const Round round = parts_.sampler.round(slow);
  if (round.library_dead) return library_dead(round.death);
  report_access(round);
  const bool before = lanes_.throttled();
  next_ns_ = lanes_.after_round(wanted_ns(), round.worst_spent_ns);
  report_throttling(before, next_ns_);
  return std::nullopt;
}

std::optional<int> SamplingLoop::library_dead(Answer answer) {
  const std::string_view state = parts_.backend.state_of(answer);
  parts_.reporter.state(state == "mismatch" ? state : "failed", "the driver went away: " + parts_.backend.describe(answer),
                        answer.code);
  return kExitLibraryDead;
}

// A driver that took or left a device, or counts them otherwise than before: a fresh process lists them again, and holds
// no file of a device that is to be unbound.
std::optional<int> SamplingLoop::devices_changed(std::int64_t now) {
  if (parts_.changes.any()) return kExitDevicesChanged;
  if (now < count_due_ns_) return std::nullopt;
  count_due_ns_ = now + kCountEveryNs;
  unsigned count = 0;
  const Answer answer = parts_.backend.count(count);
  if (answer.ok() && count != parts_.devices_seen) return kExitDevicesChanged;
  if (answer.outcome == Outcome::kLibraryDead) return library_dead(answer);
  return std::nullopt;
}

void SamplingLoop::heed_events() {
  const auto each = [&](const std::vector<std::uint32_t>& seats, auto act) {
    for (const std::uint32_t seat : seats) {
      for (const auto& device : parts_.devices) {
        if (device->identity.seat == seat) act(*device);
      }
    }
  };
  each(parts_.events.take_stalled(), [&](VendorDevice& device) { rest_after_timeout(device, parts_.reporter); });
  each(parts_.events.take_split(), [](VendorDevice& device) { device.parts_due = true; });
}

std::int64_t SamplingLoop::spent_since_slow_pass() {
  std::int64_t worst = 0;
  spent_before_ns_.resize(parts_.devices.size());
  for (std::size_t i = 0; i < parts_.devices.size(); ++i) {
    const std::int64_t spent = parts_.devices[i]->library_ns;
    worst = std::max(worst, spent - spent_before_ns_[i]);
    spent_before_ns_[i] = spent;
  }
  return worst;
}

void SamplingLoop::report_throttling(bool before, std::int64_t interval_ns) {
  if (lanes_.throttled() == before) return;
  parts_.reporter.state(lanes_.throttled() ? "throttled" : "running",
                        "calls into the driver take " + std::to_string(lanes_.fast_p99_ns() / 1000) +
                            " us a round and GPU (p99), a slow pass " + std::to_string(lanes_.slow_p99_ns() / 1000) +
                            " us more",
                        static_cast<double>(interval_ns) * 1e-6);
}

void SamplingLoop::report_access(const Round& round) {
  const bool lost = round.access_lost;
  unknown_rounds_ = lost ? std::min(unknown_rounds_ + 1, kRoundsUntilAccessLost) : 0;
  if (unknown_rounds_ == kRoundsUntilAccessLost && !access_lost_) {
    access_lost_ = true;
    parts_.reporter.state("access_lost", "every call on every GPU answers: " + parts_.backend.describe(round.unknown),
                          round.unknown.code);
  } else if (!lost && access_lost_) {
    access_lost_ = false;
    parts_.reporter.state("running", "the GPUs answer again");
  }
}

}  // namespace faultline
