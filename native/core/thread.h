// Detached reader threads and the one way to wake and end them. Nothing here ever joins: a thread may be stuck in a call.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace faultline {

// An eventfd that is readable from the moment a stop is asked for.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  void raise();
  bool raised() const { return raised_.load(std::memory_order_acquire); }
  int fd() const { return fd_; }
  // Waits until CLOCK_MONOTONIC reaches `deadline_ns` or a stop; true when stopped.
  bool wait_until(std::int64_t deadline_ns) const;

 private:
  std::atomic<bool> raised_{false};
  int fd_;
};

// Runs `body` on a new detached thread with every signal blocked; false when the system refuses one.
bool start_thread(const char* name, std::function<void()> body);

}  // namespace faultline
