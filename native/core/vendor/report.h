// Turns what a vendor child wrote into samples and notices of the core, and remembers what was said already.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sink.h"
#include "core/vendor/ring.h"

namespace faultline {

// Passes on to the sink until it is closed; afterwards whoever still runs talks to nobody.
class VendorReport {
 public:
  explicit VendorReport(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}

  // Says that the source has stopped and lets go of the sink.
  void close();
  void sample(const SampleRecord& record);
  void notice(const NoticeRecord& record);
  // Said once until another state is told, and to everybody who asked with a trace context.
  void state(std::string_view name, std::string_view text, double value = 0, std::string traceparent = {});
  void call_stalled(std::uint32_t device, std::string_view call, double stalled_ms);
  void child_exit(std::string_view name, std::string_view text, double value);
  // An XID that another child may have told already, within two seconds.
  void xid_once(const NoticeRecord& record);

  std::string pci(std::uint32_t device) const;
  // A device was reported lost, or gave a sample: taken once.
  std::set<std::uint32_t> take_lost() { return std::exchange(newly_lost_, {}); }
  std::set<std::uint32_t> take_seen() { return std::exchange(newly_seen_, {}); }

 private:
  struct Device {
    std::string pci;
    std::string identity;
    // The GPU's own series, then each link's; grown as they turn up.
    std::vector<std::array<SeriesId, static_cast<std::size_t>(Quantity::kEnd)>> series;
    std::array<std::string, static_cast<std::size_t>(Capability::kEnd)> capabilities;
    std::map<std::pair<std::uint32_t, std::int32_t>, std::string> instances;  // UUIDs by GPU and compute instance
    std::map<std::string, std::string> told;  // what was said last, by type of notice
    bool sampled = false;
    bool lost = false;
  };
  struct Xid {
    std::uint32_t device;
    double number;
    std::int64_t monotonic_ns;
  };

  void device(const NoticeRecord& record);
  void device_lost(const NoticeRecord& record);
  void xid(const NoticeRecord& record);
  void capability(const NoticeRecord& record);
  void instance(const NoticeRecord& record);
  void processes(const NoticeRecord& record);
  SeriesId series_of(Device& device, std::uint32_t link, std::uint32_t quantity);
  std::string component(std::uint32_t device) const;
  void emit(Notice notice);

  std::mutex mutex_;
  std::shared_ptr<Sink> sink_;
  std::array<Device, kMaxDevices> devices_;
  std::string last_state_;
  std::deque<Xid> recent_xids_;
  std::set<std::uint32_t> newly_lost_;
  std::set<std::uint32_t> newly_seen_;
};

}  // namespace faultline
