// A second thread, for work that two can do side by side. Waits by futex alone, which a filter of calls lets through.
#include "flight_recorder/helper.h"

#include <utility>

namespace faultline::flight_recorder {

Helper::Helper() {
  thread_ = std::thread([this] { work(); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return runs_; });
}

Helper::~Helper() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Helper::work() {
  std::unique_lock lock(mutex_);
  runs_ = true;
  changed_.notify_all();
  while (true) {
    changed_.wait(lock, [this] { return job_ != nullptr || ends_; });
    if (job_ == nullptr) return;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      (*job_)();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = std::move(thrown);
    job_ = nullptr;
    changed_.notify_all();
  }
}

void Helper::begin(const std::function<void()>* job) {
  {
    const std::scoped_lock lock(mutex_);
    job_ = job;
  }
  changed_.notify_all();
}

void Helper::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return job_ == nullptr; });
}

void Helper::both(Helper* helper, const std::function<void()>& here, const std::function<void()>& there) {
  if (helper == nullptr) {
    here();
    there();
    return;
  }
  helper->begin(&there);
  try {
    here();
  } catch (...) {
    helper->wait();
    throw;
  }
  helper->wait();
  if (const std::exception_ptr thrown = std::exchange(helper->thrown_, nullptr)) std::rethrow_exception(thrown);
}

bool Turns::wait(std::size_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return turn_ == number || given_up_; });
  return !given_up_;
}

void Turns::pass() {
  {
    const std::scoped_lock lock(mutex_);
    ++turn_;
  }
  changed_.notify_all();
}

void Turns::give_up() {
  {
    const std::scoped_lock lock(mutex_);
    given_up_ = true;
  }
  changed_.notify_all();
}

}  // namespace faultline::flight_recorder
