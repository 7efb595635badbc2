// Each step that fails ends the child with a state that says why; its supervisor starts a fresh one later.
#include "vendor/child_life.h"

#include <signal.h>

#include "core/vendor/protocol.h"
#include "vendor/calibration.h"
#include "vendor/inventory.h"
#include "vendor/sampling_loop.h"

namespace faultline {
namespace {

// The state's name and the reason in words, where the code alone would not tell an operator what to do.
int init_failed(const NvmlLibrary& nvml, Reporter& reporter, nvml::Return code) {
  const std::string text = nvml.describe(code);
  if (code == nvml::kDriverNotLoaded) {
    reporter.state("absent", "driver not loaded: " + text, code);
    return kExitAbsent;
  }
  if (code == nvml::kLibRmVersionMismatch) {
    reporter.state("mismatch", "library and kernel module are of different versions, reboot or reload the driver: " + text,
                   code);
    return kExitFailed;
  }
  reporter.state("failed", "nvmlInit_v2: " + text, code);
  return kExitFailed;
}

std::string milliseconds(std::int64_t ns) {
  return std::to_string(ns / 1'000'000) + "." + std::to_string(ns / 100'000 % 10) + " ms";
}

std::int64_t calibrated(const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter, const std::vector<Gpu>& gpus) {
  const Calibration found = calibrate(nvml, calls, gpus);
  if (found.reads == 0) return 0;
  const std::string refresh = found.refresh_ns == 0 ? "not found" : milliseconds(found.refresh_ns);
  reporter.part("calibration",
                "sensors refresh each: " + refresh + "; a read takes " + std::to_string(found.read_p99_ns / 1000) +
                    " us (p99), by the library's own account at most " + std::to_string(found.reported_us) + " us",
                static_cast<double>(found.refresh_ns) * 1e-6);
  return found.refresh_ns;
}

int sample(const ChildOptions& options, const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter) {
  char driver[nvml::kDriverVersionSize]{};
  calls.call(VendorCall::kDriverVersion, kNoDevice, nvml.driver_version, &driver[0], nvml::kDriverVersionSize);
  driver[sizeof driver - 1] = '\0';
  Inventory inventory = take_inventory(nvml, calls, reporter, KnownDevices(options.devices), driver);
  if (inventory.library_dead || (inventory.gpus.empty() && inventory.worst != nvml::kSuccess)) {
    const bool mismatch = inventory.worst == nvml::kLibRmVersionMismatch;
    reporter.state(mismatch ? "mismatch" : "failed", "no GPU can be opened: " + nvml.describe(inventory.worst),
                   inventory.worst);
    return inventory.library_dead ? kExitLibraryDead : kExitFailed;
  }
  if (inventory.seen == 0) {
    reporter.state("absent", "the driver lists no GPU");
    return kExitAbsent;
  }
  reporter.state("running", driver, static_cast<double>(inventory.gpus.size()));
  // Before calibration: what happens meanwhile is told.
  DeviceEvents events(nvml, options.ring, reporter, inventory.gpus);
  SystemEvents system_events(nvml, options.ring, reporter, inventory.gpus);
  const bool polled = options.ring.interval_ns.load(std::memory_order_acquire) != kEventsOnly;
  const std::int64_t refresh_ns = polled ? calibrated(nvml, calls, reporter, inventory.gpus) : 0;
  Sampler sampler(nvml, calls, reporter, inventory.gpus, driver);
  const LoopParts parts{options.ring, options.parent, inventory.seen, nvml,   calls,
                        reporter,     inventory.gpus, sampler,        events, system_events};
  const int status = SamplingLoop(parts, refresh_ns).run();
  events.stop();
  system_events.stop();
  return status;
}

}  // namespace

int run_child(const ChildOptions& options) {
  const sigset_t signals = awaited_signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  CallContext calls(options.ring, 0);
  Reporter reporter(options.ring, kWakeFd);
  const Confinement& confinement = options.confinement;
  reporter.part("confinement", confinement.text, confinement.complete ? 0 : 1);
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
  if (started != nvml::kSuccess) return init_failed(nvml, reporter, started);
  const int status = sample(options, nvml, calls, reporter);
  calls.call(VendorCall::kShutdown, kNoDevice, nvml.shutdown);
  return status;
}

}  // namespace faultline
