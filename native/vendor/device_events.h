// The events that the driver tells about devices, waited for in a thread of their own.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "vendor/call_retry.h"
#include "vendor/event_flood.h"
#include "vendor/nvml/gpu.h"
#include "vendor/stoppable_thread.h"

namespace faultline {

class DeviceEvents {
 public:
  DeviceEvents(const NvmlLibrary& nvml, RingLayout& ring, Reporter& reporter, const std::vector<Gpu>& gpus);
  void stop() { thread_.stop(); }
  // Devices whose system processor (GSP) did not answer the driver in time, by an XID: each is given once.
  std::vector<std::uint32_t> take_gsp_timeouts();
  // Devices of which the driver told that MIG splits them otherwise now.
  std::vector<std::uint32_t> take_mig_changes();

 private:
  struct Watched {
    nvml::Device handle;
    std::uint32_t seat;
  };

  void run();
  bool register_all(nvml::EventSet set);
  nvml::Return register_device(const Watched& watched, nvml::EventSet set);
  // False when waiting can never work.
  bool wait(nvml::EventSet set);
  void take(const nvml::EventData& event);
  void note(std::vector<std::uint32_t>& list, std::uint32_t device);
  void tell(const EventKey& key, double data, std::string text);
  void tell_ebbed();
  void slow_down(std::int64_t now_ns);

  const NvmlLibrary& nvml_;
  CallContext calls_;
  Reporter& reporter_;
  std::vector<Watched> watched_;
  EventFlood flood_;
  CallRetry retry_;
  std::int64_t second_began_ns_ = 0;
  unsigned taken_in_second_ = 0;
  std::mutex mutex_;
  std::vector<std::uint32_t> gsp_timeouts_;
  std::vector<std::uint32_t> mig_changes_;
  StoppableThread thread_;
};

}  // namespace faultline
