// What waits for JavaScript: edges, kernel records and notices, bounded in number and bytes, and when to wake it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "core/detectors/engine.h"
#include "core/sink.h"

namespace faultline {

struct Events {
  std::deque<Edge> edges;
  std::deque<KernelRecord> records;
  std::deque<Notice> notices;
  std::uint64_t lost = 0;  // dropped since the previous take
};

// Thread-safe. When full, kernel records go first and oldest first; then notices, then edges.
class EventQueue {
 public:
  static constexpr std::size_t kMaxEvents = 4096;
  static constexpr std::size_t kMaxRecordBytes = 4u << 20;

  // Each answers true when JavaScript has to be woken.
  bool add(Edge edge);
  bool add(KernelRecord record);
  bool add(Notice notice);

  // For the JavaScript thread, about to call its callback: true at most once until the next take, and only with events.
  bool claim_wake();
  Events take();
  // The same where nothing waits; false, and nothing is taken, where something does.
  bool take_nothing();

  bool empty() const;
  std::size_t pending() const;
  std::uint64_t lost() const;
  std::uint64_t wakeups() const;

 private:
  std::size_t count() const { return events_.edges.size() + events_.records.size() + events_.notices.size(); }
  bool make_room(bool for_record);
  bool drop_oldest_record();
  bool should_wake();

  mutable std::mutex mutex_;
  Events events_;
  std::size_t record_bytes_ = 0;
  bool wake_sent_ = false;
  bool wake_claimed_ = false;
  std::uint64_t lost_ = 0;
  std::uint64_t wakeups_ = 0;
};

}  // namespace faultline
