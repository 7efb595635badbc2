// The child's one way out: samples and notices into the ring, and a wake-up for the supervisor.
#pragma once

#include <mutex>
#include <string_view>

#include "core/vendor/ring.h"

namespace faultline {

// A compute instance of a GPU that is split by MIG.
struct MigInstance {
  std::uint32_t gpu_instance = 0;
  std::uint32_t compute_instance = 0;
  char uuid[96]{};
  char name[96]{};
};

struct DeviceIdentity {
  std::uint32_t seat = kNoDevice;   // this child's number for it
  std::uint32_t index = kNoDevice;  // the library's, now
  std::int32_t minor = -1;
  std::int32_t module = -1;
  std::int32_t numa_node = -1;
  std::int32_t architecture = -1;
  char pci[32]{};
  char uuid[96]{};
  char name[96]{};
  char serial[32]{};
};

// Usable from several threads; never blocks on the reader.
class Reporter {
 public:
  Reporter(RingLayout& ring, int wake_fd) : ring_(ring), wake_fd_(wake_fd) {}

  void sample(std::uint32_t device, Quantity quantity, std::int64_t monotonic_ns, double value,
              std::uint32_t link = kNoLink);
  void device(const DeviceIdentity& identity, std::string_view driver);
  void state(std::string_view name, std::string_view text, double value = 0);
  // `text`: the MIG instance concerned, how many more there were, or nothing.
  void xid(std::uint32_t device, std::uint64_t number, std::string_view text = {});
  // Another event of the driver than an XID.
  void event(std::uint32_t device, std::string_view name, double value, std::string_view text = {});
  // `index`: of the library, where the device could not be opened by anything else.
  void device_lost(std::uint32_t device, std::string_view call, int code, std::uint32_t index = kNoDevice);
  // Whether a part of the child (events, calibration) works, in addition to the state of the whole.
  void part(std::string_view name, std::string_view text, double value);
  // What came of asking for a group; `more` of the same device follow at once.
  void capability(std::uint32_t device, Capability group, std::string_view text, bool more);
  void instance(std::uint32_t device, const MigInstance& instance, bool there);
  // `pids`: a JSON array; `count` of processes, of which it may hold fewer.
  void processes(std::uint32_t device, std::string_view pids, unsigned count);
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
