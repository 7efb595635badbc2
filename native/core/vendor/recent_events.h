// The last events that children told, so that two children that overlap do not tell one event twice.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>

#include "core/vendor/ring.h"

namespace faultline {

class RecentEvents {
 public:
  static bool is_event(const NoticeRecord& record) {
    return record.type == static_cast<std::uint32_t>(NoticeType::kXid) ||
           record.type == static_cast<std::uint32_t>(NoticeType::kEvent);
  }
  void remember(const NoticeRecord& record) {
    events_.push_back(record);
    if (events_.size() > kRemembered) events_.pop_front();
  }
  // The same from the same device within two seconds.
  bool known(const NoticeRecord& record) const {
    return std::ranges::any_of(events_, [&](const NoticeRecord& other) {
      const std::int64_t apart = record.monotonic_ns - other.monotonic_ns;
      return other.type == record.type && other.device == record.device && other.value == record.value &&
             std::memcmp(other.name, record.name, sizeof other.name) == 0 && apart < kSameNs && apart > -kSameNs;
    });
  }

 private:
  static constexpr std::size_t kRemembered = 32;
  static constexpr std::int64_t kSameNs = 2'000'000'000;

  std::deque<NoticeRecord> events_;
};

}  // namespace faultline
