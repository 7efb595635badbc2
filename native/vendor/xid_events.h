// XID events from the driver, waited for in a thread of their own.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "vendor/gpu.h"

namespace faultline {

class XidEvents {
 public:
  XidEvents(const NvmlLibrary& nvml, RingLayout& ring, Reporter& reporter, const std::vector<Gpu>& gpus);
  // Asks the thread to end and waits for it: as long as one wait lasts, or for ever when the library hangs; the
  // supervisor ends such a process.
  void stop();

 private:
  struct Watched {
    nvml::Device handle;
    std::uint32_t index;
  };

  void run();
  bool register_all(nvml::EventSet set);
  void report(const nvml::EventData& event);
  bool stopping();
  void pause_ms(int duration_ms);

  const NvmlLibrary& nvml_;
  CallContext calls_;
  Reporter& reporter_;
  std::vector<Watched> watched_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace faultline
