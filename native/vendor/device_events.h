// The events that the driver reports of devices, waited for in a thread of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "vendor/backend.h"
#include "vendor/call_retry.h"
#include "vendor/event_flood.h"
#include "vendor/stoppable_thread.h"

namespace faultline {

class DeviceEvents {
 public:
  DeviceEvents(Backend& backend, RingLayout& ring, Reporter& reporter, const VendorDevices& devices);
  void stop() { thread_.stop(); }
  // Devices whose own processor did not answer the driver in time: each is given once.
  std::vector<std::uint32_t> take_stalled() { return take(stalled_); }
  // Devices that the driver reported to be split into other parts now.
  std::vector<std::uint32_t> take_split() { return take(split_); }

 private:
  void run();
  bool watch_all();
  // False when waiting can never work.
  bool wait();
  void take(const DriverEvent& event);
  std::vector<std::uint32_t> take(std::vector<std::uint32_t>& list);
  void note(std::vector<std::uint32_t>& list, std::uint32_t device);
  void report(const EventKey& key, double data, const std::string& text);
  void report_ebbed();
  void slow_down(std::int64_t now_ns);

  Backend& backend_;
  CallContext calls_;
  Reporter& reporter_;
  std::unique_ptr<DeviceEventStream> stream_;
  EventFlood flood_;
  CallRetry retry_;
  std::int64_t second_began_ns_ = 0;
  unsigned taken_in_second_ = 0;
  std::mutex mutex_;
  std::vector<std::uint32_t> stalled_;
  std::vector<std::uint32_t> split_;
  StoppableThread thread_;
};

}  // namespace faultline
