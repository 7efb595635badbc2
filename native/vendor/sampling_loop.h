// The child's steady life: a round on an absolute clock, or only events, until it is asked to end.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <vector>

#include "vendor/device_changes.h"
#include "vendor/device_events.h"
#include "vendor/lanes.h"
#include "vendor/sampler.h"

namespace faultline {

// The signals that the loop waits for; they are blocked everywhere, which keeps them from interrupting the library.
sigset_t awaited_signals();

struct LoopParts {
  RingLayout& ring;
  pid_t parent;
  unsigned devices_seen;  // what the driver counted when the devices were listed
  Backend& backend;
  Reporter& reporter;
  VendorDevices& devices;
  Sampler& sampler;
  DeviceEvents& events;
  DeviceChanges& changes;
};

class SamplingLoop {
 public:
  SamplingLoop(const LoopParts& parts, std::int64_t refresh_ns) : parts_(parts), lanes_(refresh_ns) {}
  // Gives the exit code. SIGTERM ends it cleanly; SIGUSR1 says that the interval in the ring changed, or the devices.
  int run();

 private:
  enum class Woken { kDue, kSomethingChanged, kTerminate };

  Woken sleep_until(std::int64_t until_ns) const;
  std::int64_t wanted_ns() const { return parts_.ring.interval_ns.load(std::memory_order_acquire); }
  // The exit code when the child has to end.
  std::optional<int> round(std::int64_t started);
  std::optional<int> devices_changed(std::int64_t now);
  std::optional<int> library_dead(Answer answer);
  void heed_events();
  // By all calls on the GPU on which most was spent.
  std::int64_t spent_since_slow_pass();
  void report_throttling(bool before, std::int64_t interval_ns);
  void report_access(const Round& round);

  const LoopParts parts_;
  const sigset_t signals_ = awaited_signals();
  Lanes lanes_;
  std::int64_t next_ns_ = 0;  // the interval after the last round
  std::int64_t count_due_ns_ = 0;
  std::vector<std::int64_t> spent_before_ns_;  // by GPU
  int unknown_rounds_ = 0;
  bool access_lost_ = false;
};

}  // namespace faultline
