// Detached reader threads and the one way to wake and end them. Nothing here ever joins: a thread may be stuck in a call.
#include "core/thread.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "core/clock.h"

namespace faultline {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

struct Start {
  const char* name;
  std::function<void()> body;
};

void* run(void* argument) {
  const std::unique_ptr<Start> start(static_cast<Start*>(argument));
  pthread_setname_np(pthread_self(), start->name);
  start->body();
  return nullptr;
}

}  // namespace

StopSignal::StopSignal() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

StopSignal::~StopSignal() {
  if (fd_ >= 0) ::close(fd_);
}

void StopSignal::raise() {
  raised_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  if (fd_ >= 0) [[maybe_unused]] const ssize_t written = ::write(fd_, &one, sizeof(one));
}

bool StopSignal::wait_until(std::int64_t deadline_ns) const {
  while (!raised()) {
    const std::int64_t left_ns = deadline_ns - monotonic_now();
    if (left_ns <= 0) return false;
    // Without an eventfd (descriptors used up) a stop is noticed within a second all the same.
    const std::int64_t slice_ns = fd_ >= 0 ? left_ns : std::min<std::int64_t>(left_ns, 1'000'000'000);
    timespec timeout{static_cast<time_t>(slice_ns / 1'000'000'000), static_cast<long>(slice_ns % 1'000'000'000)};
    pollfd event{fd_, POLLIN, 0};
    ::ppoll(&event, fd_ >= 0 ? 1 : 0, &timeout, nullptr);
  }
  return true;
}

bool start_thread(const char* name, std::function<void()> body) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  auto start = std::make_unique<Start>(Start{name, std::move(body)});
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // inherited by the new thread, so that Node keeps its signals
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, run, start.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (started) static_cast<void>(start.release());
  return started;
}

}  // namespace faultline
