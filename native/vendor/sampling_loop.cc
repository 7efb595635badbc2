// Loads the library, reports what it finds, and samples on an absolute clock.
#include "vendor/sampling_loop.h"

#include <csignal>
#include <unistd.h>

#include <algorithm>

#include "core/vendor/protocol.h"
#include "vendor/budget.h"
#include "vendor/sampler.h"
#include "vendor/xid_events.h"

namespace faultline {
namespace {

constexpr std::int64_t kSlowLaneNs = 10'000'000'000;
constexpr int kRoundsUntilAccessLost = 2;  // a driver that is busy resetting answers "unknown" for a moment

enum class Woken { kDue, kIntervalChanged, kTerminate };

sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR1);
  return set;
}

// Sleeps until `until_ns` (absolute, so that work does not drift it) or a signal: the signals are blocked everywhere
// else, which keeps them from interrupting the library.
Woken sleep_until(std::int64_t until_ns, const sigset_t& signals) {
  const std::int64_t left = std::max<std::int64_t>(0, until_ns - monotonic_now());
  const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
  switch (sigtimedwait(&signals, nullptr, &timeout)) {
    case SIGTERM:
      return Woken::kTerminate;
    case SIGUSR1:
      return Woken::kIntervalChanged;
    default:
      return Woken::kDue;
  }
}

class SamplingLoop {
 public:
  SamplingLoop(const SamplingOptions& options, const NvmlLibrary& nvml, Reporter& reporter, Sampler& sampler)
      : options_(options), nvml_(nvml), reporter_(reporter), sampler_(sampler) {}

  int run(const sigset_t& signals) {
    std::int64_t due = monotonic_now();
    std::int64_t slow_due = due;
    for (;;) {
      if (getppid() != options_.parent) return kExitOrphaned;
      const std::int64_t started = due;
      const bool slow = started >= slow_due;
      if (slow) slow_due = started + kSlowLaneNs;
      const Round round = sampler_.round(slow);
      if (round.library_dead) {
        reporter_.state("failed", "the driver went away: " + nvml_.describe(round.dead_code), round.dead_code);
        return kExitLibraryDead;
      }
      tell_access(round.access_lost);
      reporter_.tick();
      spent_ns_ = round.worst_spent_ns;
      due = started + interval_ns(true);
      const std::int64_t now = monotonic_now();
      if (due < now) due = now + interval_ns(false);  // rounds that were missed are missed
      for (;;) {
        const Woken woken = sleep_until(due, signals);
        if (woken == Woken::kTerminate) return 0;
        if (woken == Woken::kDue) break;
        due = std::max(monotonic_now(), started + interval_ns(false));
      }
    }
  }

 private:
  std::int64_t interval_ns(bool after_round) {
    const std::int64_t wanted = std::clamp(options_.ring.interval_ns.load(std::memory_order_acquire), kShortestIntervalNs,
                                           kLongestIntervalNs);
    if (!after_round) return std::max(wanted, stretched_ns_);
    const bool before = budget_.throttled();
    const std::int64_t interval = budget_.next_interval_ns(wanted, spent_ns_);
    stretched_ns_ = budget_.throttled() ? interval : 0;
    if (budget_.throttled() != before) {
      reporter_.state(budget_.throttled() ? "throttled" : "running",
                      "calls into the driver take " + std::to_string(spent_ns_ / 1000) + " us a round and GPU",
                      static_cast<double>(interval) * 1e-6);
    }
    return interval;
  }

  void tell_access(bool lost) {
    unknown_rounds_ = lost ? std::min(unknown_rounds_ + 1, kRoundsUntilAccessLost) : 0;
    if (unknown_rounds_ == kRoundsUntilAccessLost && !access_lost_) {
      access_lost_ = true;
      reporter_.state("access_lost", "every call on every GPU answers: " + nvml_.describe(nvml::kUnknown), nvml::kUnknown);
    } else if (!lost && access_lost_) {
      access_lost_ = false;
      reporter_.state("running", "the GPUs answer again");
    }
  }

  const SamplingOptions& options_;
  const NvmlLibrary& nvml_;
  Reporter& reporter_;
  Sampler& sampler_;
  Budget budget_;
  std::int64_t spent_ns_ = 0;
  std::int64_t stretched_ns_ = 0;
  int unknown_rounds_ = 0;
  bool access_lost_ = false;
};

// The reason in words where the code alone would not tell an operator what to do.
std::string init_failure(const NvmlLibrary& nvml, nvml::Return code) {
  const std::string text = nvml.describe(code);
  if (code == nvml::kDriverNotLoaded) return "driver not loaded: " + text;
  if (code == nvml::kLibRmVersionMismatch) return "library and kernel module are of different versions, reboot or reload the driver: " + text;
  return "nvmlInit_v2: " + text;
}

int sample(const SamplingOptions& options, const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter) {
  char driver[nvml::kDriverVersionSize]{};
  calls.call(VendorCall::kDriverVersion, kNoDevice, nvml.driver_version, &driver[0], nvml::kDriverVersionSize);
  driver[sizeof driver - 1] = '\0';
  Inventory inventory = take_inventory(nvml, calls, reporter, ExcludedDevices(options.excluded), driver);
  if (inventory.library_dead || (inventory.gpus.empty() && inventory.worst != nvml::kSuccess)) {
    reporter.state("failed", "no GPU can be opened: " + nvml.describe(inventory.worst), inventory.worst);
    return inventory.library_dead ? kExitLibraryDead : kExitFailed;
  }
  if (inventory.seen == 0) {
    reporter.state("absent", "the driver lists no GPU");
    return kExitAbsent;
  }
  reporter.state("running", driver, static_cast<double>(inventory.gpus.size()));
  const sigset_t signals = awaited_signals();
  XidEvents events(nvml, options.ring, reporter, inventory.gpus);
  Sampler sampler(nvml, calls, reporter, inventory.gpus, driver);
  const int status = SamplingLoop(options, nvml, reporter, sampler).run(signals);
  events.stop();
  return status;
}

}  // namespace

int run_sampling(const SamplingOptions& options) {
  const sigset_t signals = awaited_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  CallContext calls(options.ring, 0);
  Reporter reporter(options.ring, kWakeFd);
  NvmlLibrary nvml;
  std::string why;
  switch (load_nvml(options.library, calls, nvml, why)) {
    case LoadResult::kAbsent:
      reporter.state("absent", why);
      return kExitAbsent;
    case LoadResult::kFailed:
      reporter.state("failed", why);
      return kExitFailed;
    case LoadResult::kLoaded:
      break;
  }
  const nvml::Return started = calls.call(VendorCall::kInit, kNoDevice, nvml.init);
  if (started != nvml::kSuccess) {
    const bool absent = started == nvml::kDriverNotLoaded;
    reporter.state(absent ? "absent" : "failed", init_failure(nvml, started), started);
    return absent ? kExitAbsent : kExitFailed;
  }
  const int status = sample(options, nvml, calls, reporter);
  calls.call(VendorCall::kShutdown, kNoDevice, nvml.shutdown);
  return status;
}

}  // namespace faultline
