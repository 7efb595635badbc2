// Waits until the control file may have changed, as the driver waits for its events: without looking again and again.
#pragma once

#include <poll.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace faultline::fake {

inline long now_ms() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}

// Made before the first look, so that no change falls between the two.
class ChangeWatch {
 public:
  explicit ChangeWatch(const std::string& file) : fd_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    const std::string folder = file.substr(0, file.rfind('/') + 1);
    if (inotify_add_watch(fd_, folder.c_str(), IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE) < 0) stop();
  }
  ~ChangeWatch() { stop(); }
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;

  // Returns after a change, or after `left_ms` (or sooner where nothing can be watched).
  void wait(long left_ms) {
    pollfd event{fd_, POLLIN, 0};
    if (poll(&event, 1, static_cast<int>(fd_ < 0 ? std::min(left_ms, kLookMs) : left_ms)) <= 0) return;
    // The file is looked at once in 2 ms: a look right after another one would miss what was written since.
    const timespec pause{0, 3'000'000};
    nanosleep(&pause, nullptr);
    char seen[4096];
    while (read(fd_, seen, sizeof seen) > 0) {
    }
  }

 private:
  static constexpr long kLookMs = 10;

  void stop() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

  int fd_;
};

}  // namespace faultline::fake
