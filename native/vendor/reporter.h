// The child's one way out: samples and notices into the ring, and a wake-up for the supervisor.
#pragma once

#include <mutex>
#include <string_view>

#include "core/vendor/ring.h"

namespace faultline {

struct DeviceIdentity {
  std::uint32_t index = kNoDevice;
  std::int32_t minor = -1;
  char pci[32]{};
  char uuid[96]{};
  char name[96]{};
  char serial[32]{};
};

// Usable from several threads; never blocks on the reader.
class Reporter {
 public:
  Reporter(RingLayout& ring, int wake_fd) : ring_(ring), wake_fd_(wake_fd) {}

  void sample(std::uint32_t device, Quantity quantity, std::int64_t monotonic_ns, double value);
  void device(const DeviceIdentity& identity, std::string_view driver);
  void state(std::string_view name, std::string_view text, double value = 0);
  void xid(std::uint32_t device, std::uint64_t number);
  void device_lost(std::uint32_t device, std::string_view call, int code);
  // One complete round is in the ring.
  void tick();

 private:
  void push(const NoticeRecord& record);
  void wake();

  RingLayout& ring_;
  int wake_fd_;
  std::mutex mutex_;
};

}  // namespace faultline
