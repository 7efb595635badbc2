// A thread of the child that pauses, and that is asked to end.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include <pthread.h>

#include "core/clock.h"
#include "core/thread.h"

namespace faultline {

class StoppableThread {
 public:
  ~StoppableThread() { stop(); }
  // `name` is a literal of at most 15 characters.
  void start(const char* name, std::function<void()> body) {
    thread_ = std::thread([name, body = std::move(body)] {
      pthread_setname_np(pthread_self(), name);
      body();
    });
  }
  // Asks it to end and waits: as long as its present call lasts, or for ever when the library hangs; the supervisor
  // ends such a process.
  void stop() {
    stop_.raise();
    if (thread_.joinable()) thread_.join();
  }
  bool stopping() const { return stop_.raised(); }
  // Ends early when it is asked to end.
  void pause_ms(int duration_ms) { stop_.wait_until(monotonic_now() + std::int64_t{duration_ms} * 1'000'000); }

 private:
  StopSignal stop_;
  std::thread thread_;
};

}  // namespace faultline
