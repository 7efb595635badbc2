// The driver taking and leaving devices, waited for in its own thread.
#pragma once

#include <atomic>
#include <memory>

#include "vendor/backend.h"
#include "vendor/call_retry.h"
#include "vendor/stoppable_thread.h"

namespace faultline {

class DeviceChanges {
 public:
  // Where the library does not have the calls, no thread runs.
  DeviceChanges(Backend& backend, RingLayout& ring, Reporter& reporter, const VendorDevices& devices);
  void stop() { thread_.stop(); }
  // The set of devices changed: the sampler's thread gets SIGUSR1 when it does.
  bool any() const { return changed_.load(std::memory_order_acquire); }

 private:
  void run();
  bool wait();
  void report(const DeviceChange& change);

  Backend& backend_;
  CallContext calls_;
  Reporter& reporter_;
  std::unique_ptr<DeviceChangeStream> stream_;
  CallRetry retry_;
  std::atomic<bool> changed_{false};
  StoppableThread thread_;
};

}  // namespace faultline
