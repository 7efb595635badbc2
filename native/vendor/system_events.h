// The driver taking and leaving devices (NVML from CUDA 12.8 on), waited for in a thread of its own.
#pragma once

#include <atomic>
#include <vector>

#include "vendor/call_retry.h"
#include "vendor/nvml/gpu.h"
#include "vendor/stoppable_thread.h"

namespace faultline {

class SystemEvents {
 public:
  // Where the library does not have the calls, no thread runs.
  SystemEvents(const NvmlLibrary& nvml, RingLayout& ring, Reporter& reporter, const std::vector<Gpu>& gpus);
  void stop() { thread_.stop(); }
  // The set of devices changed: the sampler's thread gets SIGUSR1 when it does.
  bool devices_changed() const { return changed_.load(std::memory_order_acquire); }

 private:
  struct Known {
    std::uint32_t seat;
    std::uint32_t pci_id;
  };

  void run();
  bool wait(nvml::SystemEventSetHandle set);
  void tell(const nvml::SystemEventData& event);

  const NvmlLibrary& nvml_;
  CallContext calls_;
  Reporter& reporter_;
  std::vector<Known> known_;
  CallRetry retry_;
  std::atomic<bool> changed_{false};
  StoppableThread thread_;
};

// The driver's 32-bit id of a device at `pci` ("0000:1b:00.0"): domain << 16 | bus << 8 | device. 0 when it is no address.
std::uint32_t driver_gpu_id(std::string_view pci);

}  // namespace faultline
