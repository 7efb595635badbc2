// The last events that children reported, so that two children that overlap do not report one event twice.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>

#include "core/vendor/ring.h"

namespace faultline {

class RecentEvents {
 public:
  static bool is_event(const NoticeRecord& record) {
    return record.type == static_cast<std::uint32_t>(NoticeType::kXid) ||
           record.type == static_cast<std::uint32_t>(NoticeType::kEvent);
  }
  // `component`: whose event it is, by address. Each child has numbers of its own for the devices.
  void remember(const NoticeRecord& record, const std::string& component) {
    events_.push_back({record, component});
    if (events_.size() > kRemembered) events_.pop_front();
  }
  // The same from the same device within two seconds.
  bool known(const NoticeRecord& record, const std::string& component) const {
    return std::ranges::any_of(events_, [&](const Event& event) {
      const NoticeRecord& other = event.record;
      const std::int64_t apart = record.monotonic_ns - other.monotonic_ns;
      return other.type == record.type && event.component == component && other.value == record.value &&
             std::memcmp(other.name, record.name, sizeof other.name) == 0 && apart < kSameNs && apart > -kSameNs;
    });
  }

 private:
  static constexpr std::size_t kRemembered = 32;
  static constexpr std::int64_t kSameNs = 2'000'000'000;

  struct Event {
    NoticeRecord record;
    std::string component;
  };

  std::deque<Event> events_;
};

}  // namespace faultline
