// A second thread, for work that two can do side by side.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace faultline::flight_recorder {

class Helper {
 public:
  // Its thread has made all calls of its start when this returns: a filter of calls need not let these through. Throws
  // std::system_error where the system gives no thread.
  Helper();
  ~Helper();
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  // Does `there` on the second thread and `here` on this one, and returns when both have ended; what one of them threw is thrown
  // on. Without a helper one comes after the other.
  static void both(Helper* helper, const std::function<void()>& here, const std::function<void()>& there);

 private:
  void work();
  void begin(const std::function<void()>* job);
  void wait();

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  const std::function<void()>* job_ = nullptr;  // null: nothing to do
  std::exception_ptr thrown_;                   // by the last one
  bool runs_ = false, ends_ = false;
  std::thread thread_;
};

// Threads that took numbers, from zero on, do a part of their work in the order of these.
class Turns {
 public:
  // Until it is this number's turn. False when another thread gave up.
  bool wait(std::size_t number);
  void pass();
  void give_up();

 private:
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::size_t turn_ = 0;
  bool given_up_ = false;
};

}  // namespace faultline::flight_recorder
