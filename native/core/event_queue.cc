// What waits for JavaScript: edges, kernel records and notices, bounded in number and bytes, and when to wake it.
#include "core/event_queue.h"

#include <utility>

namespace faultline {

bool EventQueue::drop_oldest_record() {
  if (events_.records.empty()) return false;
  record_bytes_ -= events_.records.front().text.size();
  events_.records.pop_front();
  return true;
}

// False when the newcomer itself has to go.
bool EventQueue::make_room(bool for_record) {
  if (count() < kMaxEvents) return true;
  ++lost_;
  ++events_.lost;
  if (drop_oldest_record()) return true;
  if (for_record) return false;
  if (!events_.notices.empty()) {
    events_.notices.pop_front();
  } else {
    events_.edges.pop_front();
  }
  return true;
}

bool EventQueue::should_wake() {
  if (wake_sent_) return false;
  wake_sent_ = true;
  return true;
}

bool EventQueue::add(Edge edge) {
  const std::lock_guard lock(mutex_);
  make_room(false);
  events_.edges.push_back(std::move(edge));
  return should_wake();
}

bool EventQueue::add(KernelRecord record) {
  const std::lock_guard lock(mutex_);
  if (make_room(true)) {
    record_bytes_ += record.text.size();
    events_.records.push_back(std::move(record));
    while (record_bytes_ > kMaxRecordBytes && drop_oldest_record()) {
      ++lost_;
      ++events_.lost;
    }
  }
  return should_wake();
}

bool EventQueue::add(Notice notice) {
  const std::lock_guard lock(mutex_);
  make_room(false);
  events_.notices.push_back(std::move(notice));
  return should_wake();
}

bool EventQueue::claim_wake() {
  const std::lock_guard lock(mutex_);
  if (wake_claimed_ || (count() == 0 && events_.lost == 0)) return false;
  wake_claimed_ = true;
  ++wakeups_;
  return true;
}

Events EventQueue::take() {
  const std::lock_guard lock(mutex_);
  wake_sent_ = false;
  wake_claimed_ = false;
  record_bytes_ = 0;
  return std::exchange(events_, Events{});
}

bool EventQueue::take_nothing() {
  const std::lock_guard lock(mutex_);
  if (count() > 0 || events_.lost > 0) return false;
  wake_sent_ = false;
  wake_claimed_ = false;
  return true;
}

bool EventQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return count() == 0 && events_.lost == 0;
}

std::size_t EventQueue::pending() const {
  const std::lock_guard lock(mutex_);
  return count();
}

std::uint64_t EventQueue::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

std::uint64_t EventQueue::wakeups() const {
  const std::lock_guard lock(mutex_);
  return wakeups_;
}

}  // namespace faultline
