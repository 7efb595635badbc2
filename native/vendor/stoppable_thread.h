// A thread of the child that pauses, and that is asked to end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include <pthread.h>

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
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  bool stopping() {
    const std::lock_guard lock(mutex_);
    return stop_;
  }
  // Ends early when it is asked to end.
  void pause_ms(int duration_ms) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(duration_ms), [this] { return stop_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace faultline
