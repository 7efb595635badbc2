// Turns what a vendor child wrote into samples and notices of the core, and remembers what was said already.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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

// Passes on to the sink until it is closed; what still runs afterwards has no listener.
class VendorReport {
 public:
  explicit VendorReport(std::shared_ptr<Sink> sink) : sink_(std::move(sink)) {}

  // Says that the source has stopped and lets go of the sink.
  void close();
  void sample(const SampleRecord& record);
  // `pci`: the address on the record's seat, where its child's roster has one.
  void notice(const NoticeRecord& record, std::string_view pci = {});
  // An event that another child may have reported already, within two seconds.
  void event_once(const NoticeRecord& record, std::string_view pci = {});
  // Said once until another state is, and to everybody who asked with a trace context.
  void state(std::string_view name, std::string_view text, double value = 0, std::string traceparent = {});
  // `index`: of the library, where the call was to open what is there.
  void call_stalled(std::string_view pci, std::uint32_t index, std::string_view call, double stalled_ms);
  void child_exit(std::string_view name, std::string_view text, double value);

  // A child begins: its seats are empty.
  void child_began();
  // What the child wrote so far was read as a whole: resets that it gave away are reported.
  void believed();
  // The child wrote what no honest child writes: what it gave away of resets and counters is worth nothing, and no reset
  // is believed of its successors, which load the same library, until `until_ns`.
  void disbelieved(std::int64_t until_ns);
  // The driver went away.
  void driver_gone() { resets_.clear(); }
  // The child has listed all devices: those of before that are neither there nor lost nor `kept` are gone.
  void listed(const std::function<bool(const std::string&)>& kept);
  // Addresses of the devices that are there, or were until something happened to them.
  std::vector<std::string> addresses() const;

  struct Lost {
    std::string pci;  // empty where it could not be asked for
    std::uint32_t index;
    bool held;  // the child that lost it had it open
  };
  struct Seen {
    std::string pci;
    std::uint32_t index;
  };
  // Devices that were reported lost, or gave a sample: taken once.
  std::vector<Lost> take_lost() { return std::exchange(newly_lost_, {}); }
  std::vector<Seen> take_seen() { return std::exchange(newly_seen_, {}); }

 private:
  using SeriesRow = std::array<SeriesId, static_cast<std::size_t>(Quantity::kEnd)>;
  struct Device {
    std::string pci;
    std::uint32_t index = kNoDevice;
    NoticeDetails identity;
    // The GPU's own series, then each link's; grown as they turn up.
    std::vector<SeriesRow> series;
    std::map<std::uint32_t, SeriesRow> instance_series;  // by GPU instance
    std::array<std::string, static_cast<std::size_t>(Capability::kEnd)> capabilities;
    std::map<std::pair<std::uint32_t, std::int32_t>, std::string> instances;  // UUIDs by GPU and compute instance
    // As they were reported last.
    NoticeDetails groups;
    std::optional<std::string> processes;
    bool seated = false;         // by this child
    bool lost_by_child = false;  // by this child
    bool sampled = false;
    bool lost = false;
  };

  void device(const NoticeRecord& record);
  void device_lost(const NoticeRecord& record, std::string_view pci);
  void event(const NoticeRecord& record, std::string component);
  void part(const NoticeRecord& record);
  void reset(const std::string& pci, std::string_view name, std::string_view text, std::int64_t monotonic_ns);
  void watch_for_reset(const Device& device, const SampleRecord& record);
  void capability(const NoticeRecord& record);
  void instance(const NoticeRecord& record);
  void processes(const NoticeRecord& record);
  SeriesId series_of(Device& device, std::uint32_t link, std::uint32_t quantity);
  static SeriesRow& row_of(Device& device, std::uint32_t link);
  Device* seated(std::uint32_t seat) const { return seat < kMaxDevices ? seats_[seat] : nullptr; }
  std::string component(std::uint32_t seat, std::string_view pci) const;
  void make_room();
  void emit(Notice notice);

  std::mutex mutex_;
  std::shared_ptr<Sink> sink_;
  std::map<std::string, Device, std::less<>> devices_;  // by PCI address
  std::array<Device*, kMaxDevices> seats_{};           // of the child that is read
  std::set<std::uint32_t> lost_unnamed_;               // library indices that could not be opened
  std::string last_state_;
  std::map<std::string, std::string> parts_;
  RecentEvents recent_events_;
  ResetWatch resets_;
  std::vector<Notice> resets_to_confirm_;
  std::int64_t no_resets_until_ns_ = 0;
  std::vector<Lost> newly_lost_;
  std::vector<Seen> newly_seen_;
};

}  // namespace faultline
