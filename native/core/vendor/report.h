// Turns what a vendor child wrote into samples and notices of the core, and remembers what was said already.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sink.h"
#include "core/vendor/recent_events.h"
#include "core/vendor/reset_watch.h"
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
  // An event that another child may have told already, within two seconds.
  void event_once(const NoticeRecord& record);
  // For telling resets apart: a child begins, the driver went away.
  void child_began() { resets_.new_child(); }
  void driver_gone() { resets_.driver_gone(); }

  std::string pci(std::uint32_t device) const;
  // A device was reported lost, or gave a sample: taken once.
  // A lost one comes with whether the child that lost it had it open.
  std::map<std::uint32_t, bool> take_lost() { return std::exchange(newly_lost_, {}); }
  std::set<std::uint32_t> take_seen() { return std::exchange(newly_seen_, {}); }

 private:
  using SeriesRow = std::array<SeriesId, static_cast<std::size_t>(Quantity::kEnd)>;
  struct Device {
    std::string pci;
    std::string identity;
    // The GPU's own series, then each link's; grown as they turn up.
    std::vector<SeriesRow> series;
    std::map<std::uint32_t, SeriesRow> instance_series;  // by GPU instance
    std::array<std::string, static_cast<std::size_t>(Capability::kEnd)> capabilities;
    std::map<std::pair<std::uint32_t, std::int32_t>, std::string> instances;  // UUIDs by GPU and compute instance
    std::map<std::string, std::string> told;  // what was said last, by type of notice
    bool sampled = false;
    bool lost = false;
  };

  void device(const NoticeRecord& record);
  void device_lost(const NoticeRecord& record);
  void event(const NoticeRecord& record);
  void part(const NoticeRecord& record);
  void tell_reset(std::uint32_t device, std::string_view name, std::string_view text, std::int64_t monotonic_ns);
  void watch_for_reset(const SampleRecord& record);
  void capability(const NoticeRecord& record);
  void instance(const NoticeRecord& record);
  void processes(const NoticeRecord& record);
  SeriesId series_of(Device& device, std::uint32_t link, std::uint32_t quantity);
  static SeriesRow& row_of(Device& device, std::uint32_t link);
  std::string component(std::uint32_t device) const;
  void emit(Notice notice);

  std::mutex mutex_;
  std::shared_ptr<Sink> sink_;
  std::array<Device, kMaxDevices> devices_;
  std::string last_state_;
  std::map<std::string, std::string> parts_;
  RecentEvents recent_events_;
  ResetWatch resets_;
  std::map<std::uint32_t, bool> newly_lost_;
  std::set<std::uint32_t> newly_seen_;
};

}  // namespace faultline
