// An inotify instance that tells when a file changes, or when its name comes to lead elsewhere.
#include "core/kernel_log/watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>

namespace faultline {
namespace {

constexpr int kNoInotifyPollMs = 1000;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

PathWatch::PathWatch() : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

PathWatch::~PathWatch() {
  if (fd_ >= 0) ::close(fd_);
}

bool PathWatch::watch_parent(const std::string& path) {
  const std::uint32_t mask = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_ONLYDIR;
  return fd_ >= 0 && ::inotify_add_watch(fd_, parent_of(path).c_str(), mask) >= 0;
}

bool PathWatch::watch_file(const std::string& path) {
  if (fd_ < 0) return false;
  const int watch = ::inotify_add_watch(fd_, path.c_str(), IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF);
  if (file_watch_ >= 0 && watch != file_watch_) ::inotify_rm_watch(fd_, file_watch_);
  file_watch_ = watch;
  return watch >= 0;
}

void PathWatch::wait(const StopSignal& stop, int timeout_ms) {
  // A host out of inotify instances still gets its log, a second late.
  if (fd_ < 0 && (timeout_ms < 0 || timeout_ms > kNoInotifyPollMs)) timeout_ms = kNoInotifyPollMs;
  pollfd events[2] = {{stop.fd(), POLLIN, 0}, {fd_, POLLIN, 0}};
  ::poll(events, 2, timeout_ms);
  if (fd_ < 0) return;
  alignas(inotify_event) std::array<char, 4096> buffer;
  while (::read(fd_, buffer.data(), buffer.size()) > 0) continue;
}

}  // namespace faultline
