// Reads the kernel log on its own thread: /dev/kmsg, or a file in its form.
#include "core/kernel_log/kernel_log.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/clock.h"
#include "core/files/checked_path.h"
#include "core/kernel_log/kmsg.h"
#include "core/kernel_log/log_file.h"
#include "core/kernel_log/watch.h"

namespace faultline {
namespace {

constexpr int kRetryMs = 5000;
// However busy the folder of a missing file is, it is not looked for more often.
constexpr std::int64_t kLeastPauseNs = 50'000'000;
constexpr char kDevice[] = "/dev/kmsg";
// The system call goes through the whole log, which can be many MiB: it takes no more of a core than one part in this many.
constexpr std::int64_t kRingShare = 200;
constexpr std::int64_t kRingLeastNs = 500'000'000;
constexpr std::int64_t kRingMostNs = 5'000'000'000;

// systemd opens the device as standard input, so that the daemon needs no right to open it itself. -1 where it did not.
int handed_over(const std::string& path) {
  struct stat status {};
  if (path != kDevice || ::fstat(STDIN_FILENO, &status) != 0) return -1;
  if (!S_ISCHR(status.st_mode) || status.st_rdev != makedev(1, 11)) return -1;
  const int fd = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (fd >= 0) ::fcntl(fd, F_SETFL, O_RDONLY | O_NONBLOCK);
  return fd;
}

}  // namespace

KernelLog::KernelLog(std::shared_ptr<Sink> sink, KernelLogOptions options)
    : sink_(std::move(sink)), options_(std::move(options)), intake_(*sink_, stop_, options_.user_lines, options_.fold_storms, options_.words) {}

std::shared_ptr<KernelLog> KernelLog::start(std::shared_ptr<Sink> sink, KernelLogOptions options) {
  auto log = std::make_shared<KernelLog>(std::move(sink), std::move(options));
  if (log->stop_.fd() < 0 || !start_thread("fl-kernel-log", [log] { log->run(); })) {
    log->intake_.state("failed", "no descriptor or thread was left to read " + log->options_.path);
  }
  return log;
}

void KernelLog::run() {
  // Only what is there when we come may be skipped; whatever appears later is news from its first line.
  bool from_start = options_.from_start;
  while (!stop_.raised()) {
    read_once(from_start);
    from_start = true;
    if (!stop_.raised()) wait_for_path();
  }
}

void KernelLog::read_once(bool from_start) {
  Refused refused;
  int fd = handed_over(options_.path);
  if (fd < 0) fd = open_checked(options_.path, Purpose::kernel_log, refused);
  if (fd < 0 && refused.why == Refusal::system) {
    // A container has no such device, or may not open it.
    const bool shut = options_.path == kDevice && (refused.error == EACCES || refused.error == EPERM || refused.error == ENOENT);
    if (shut && read_ring(std::strerror(refused.error), from_start)) return;
    return tell_failure(refused.error);
  }
  if (fd < 0) return intake_.state(refused.why == Refusal::kind ? "absent" : "refused", refused.reason);
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return follow_file(fd, from_start);
  if (S_ISCHR(status.st_mode)) {
    read_device(fd, from_start);
  } else {
    intake_.state("absent", options_.path + " is neither a character device nor a regular file");
  }
  ::close(fd);
}

void KernelLog::tell_failure(int error) {
  const bool forbidden = error == EACCES || error == EPERM;
  intake_.state(forbidden ? "no_permission" : "absent", options_.path + ": " + std::strerror(error));
}

// Each read gives one record. 0 while the device is there, else why not.
int KernelLog::drain_device(int fd) {
  std::array<char, kMaxKmsgBytes> buffer;
  while (!stop_.raised()) {
    const ssize_t size = ::read(fd, buffer.data(), buffer.size());
    if (size > 0) {
      intake_.record(std::string_view(buffer.data(), static_cast<std::size_t>(size)));
    } else if (size < 0 && errno == EPIPE) {
      intake_.overrun();
    } else if (size < 0 && errno == EINVAL) {
      intake_.malformed();  // a record longer than any buffer of ours: the kernel stays on it
      if (::lseek(fd, 0, SEEK_END) < 0) return errno;
      intake_.overrun();
    } else if (size < 0 && errno == EINTR) {
      continue;
    } else {
      if (size == 0) return ENODATA;  // no kernel log ends
      return errno == EAGAIN ? 0 : errno;
    }
  }
  return 0;
}

void KernelLog::read_device(int fd, bool from_start) {
  // Past the end of the log is a place of its own; a device that cannot seek is read from where it is.
  if (!from_start) ::lseek(fd, 0, SEEK_END);
  while (!stop_.raised()) {
    if (const int error = drain_device(fd); error != 0) return tell_failure(error);
    intake_.state("works", options_.path);
    pollfd events[2] = {{stop_.fd(), POLLIN, 0}, {fd, POLLIN, 0}};
    ::poll(events, 2, intake_.patience_ms());
    intake_.settle();
    if ((events[1].revents & POLLNVAL) != 0) return;
  }
}

bool KernelLog::read_ring(const std::string& why, bool from_start) {
  if (!ring_) {
    KernelRing ring([](int action, char* buffer, int size) { return ::klogctl(action, buffer, size); });
    if (ring.open(from_start) != 0) return false;
    ring_ = std::move(ring);
  }
  while (!stop_.raised()) {
    const std::int64_t began = monotonic_now();
    const int error = ring_->read([this](std::string_view raw) { intake_.record(raw); }, [this] { intake_.overrun(); });
    if (error != 0) return false;
    intake_.state("works", "by syslog(2), as " + options_.path + " is shut: " + why);
    intake_.settle();
    const std::int64_t now = monotonic_now();
    stop_.wait_until(now + std::clamp((now - began) * kRingShare, kRingLeastNs, kRingMostNs));
  }
  return true;
}

void KernelLog::follow_file(int fd, bool from_start) {
  LogFile file(fd, options_.path, from_start);
  PathWatch watch;
  // Watched before the first read, so that nothing falls between.
  watch.watch_parent(options_.path);
  watch.watch_file(options_.path);
  intake_.state("works", options_.path);
  while (!stop_.raised()) {
    const LogFile::Fate fate = file.fate();
    file.read_on(intake_, stop_);
    if (fate == LogFile::Fate::replaced) return;
    if (fate == LogFile::Fate::gone) return intake_.state("absent", options_.path + " was removed");
    watch.wait(stop_, intake_.patience_ms());
    intake_.settle();
  }
}

void KernelLog::wait_for_path() {
  PathWatch watch;
  watch.watch_parent(options_.path);
  struct stat status {};
  Refused refused;
  const int opened = open_checked(options_.path, Purpose::kernel_log, refused);
  if (opened >= 0) {
    // It is there again already (a file that was replaced): no waiting, unless it is nothing that can be read.
    const bool readable = ::fstat(opened, &status) == 0 && S_ISREG(status.st_mode);
    ::close(opened);
    if (readable) return;
  }
  watch.wait(stop_, kRetryMs);
  stop_.wait_until(monotonic_now() + kLeastPauseNs);
}

}  // namespace faultline
