// Each step that fails ends the child with a state that says why; its supervisor starts a fresh one later.
#include "vendor/child_life.h"

#include <signal.h>

#include "core/vendor/protocol.h"
#include "vendor/backend.h"
#include "vendor/calibration.h"
#include "vendor/inventory.h"
#include "vendor/sampling_loop.h"

namespace faultline {
namespace {

std::string milliseconds(std::int64_t ns) {
  return std::to_string(ns / 1'000'000) + "." + std::to_string(ns / 100'000 % 10) + " ms";
}

std::int64_t calibrated(Backend& backend, const BackendParts& parts, const VendorDevices& devices) {
  const Calibration found = calibrate(backend, parts.calls, devices);
  if (found.reads == 0) return 0;
  const std::string refresh = found.refresh_ns == 0 ? "not found" : milliseconds(found.refresh_ns);
  parts.reporter.part("calibration",
                      "sensors refresh each: " + refresh + "; a read takes " + std::to_string(found.read_p99_ns / 1000) +
                          " us (p99), by the library's own account at most " + std::to_string(found.reported_us) + " us",
                      static_cast<double>(found.refresh_ns) * 1e-6);
  return found.refresh_ns;
}

int sample(const ChildOptions& options, Backend& backend, const BackendParts& parts) {
  Reporter& reporter = parts.reporter;
  const std::string driver = backend.driver_version();
  Inventory inventory = take_inventory(backend, reporter, KnownDevices(options.devices), driver);
  VendorDevices& devices = inventory.devices;
  if (inventory.library_dead || (devices.empty() && !inventory.worst.ok())) {
    const std::string_view state = backend.state_of(inventory.worst);
    reporter.state(state == "mismatch" ? state : "failed", "no GPU can be opened: " + backend.describe(inventory.worst),
                   inventory.worst.code);
    return inventory.library_dead ? kExitLibraryDead : kExitFailed;
  }
  if (inventory.seen == 0) {
    reporter.state("absent", "the driver lists no GPU");
    return kExitAbsent;
  }
  reporter.state("running", driver, static_cast<double>(devices.size()));
  // Before calibration: what happens meanwhile is reported.
  DeviceEvents events(backend, options.ring, reporter, devices);
  DeviceChanges changes(backend, options.ring, reporter, devices);
  const bool polled = options.ring.interval_ns.load(std::memory_order_acquire) != kEventsOnly;
  const std::int64_t refresh_ns = polled ? calibrated(backend, parts, devices) : 0;
  Sampler sampler(backend, parts, devices);
  const LoopParts loop{options.ring, options.parent, inventory.seen, backend, reporter,
                       devices,      sampler,        events,         changes};
  const int status = SamplingLoop(loop, refresh_ns).run();
  events.stop();
  changes.stop();
  return status;
}

}  // namespace

int run_child(const ChildOptions& options) {
  const sigset_t signals = awaited_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  CallContext calls(options.ring, 0);
  Reporter reporter(options.ring, kWakeFd);
  Answers answers(reporter);
  const BackendParts parts{calls, reporter, answers};
  const Confinement& confinement = options.confinement;
  reporter.part("confinement", confinement.text, confinement.complete ? 0 : 1);
  const std::unique_ptr<Backend> backend = backend_of(options.library).make(parts);
  std::string why;
  switch (backend->load(options.library, why)) {
    case LoadResult::kAbsent:
      reporter.state("absent", why);
      return kExitAbsent;
    case LoadResult::kFailed:
      reporter.state("failed", why);
      return kExitFailed;
    case LoadResult::kLoaded:
      break;
  }
  if (const Answer started = backend->start(); !started.ok()) {
    const std::string_view state = backend->state_of(started);
    reporter.state(state, backend->start_failure(started), started.code);
    return state == "absent" ? kExitAbsent : kExitFailed;
  }
  const int status = sample(options, *backend, parts);
  backend->release();
  return status;
}

}  // namespace faultline
