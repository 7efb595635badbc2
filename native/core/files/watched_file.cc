// One file or folder of a watch: kept open, read from its start at each round, and given up where it refuses.
#include "core/files/watched_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/files/number.h"

namespace faultline {
namespace {

constexpr std::size_t kMostNames = 4096;

// Worth another try at the next round; what refuses otherwise is not asked again: such reads can fill the kernel log.
bool is_passing(int error) {
  switch (error) {
    case EAGAIN:
    case EINTR:
    case EBUSY:
    case ETIMEDOUT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENODEV:  // the device went away: what is there next is another file
    case ENXIO:
      return true;
    default:
      return false;
  }
}

// FNV-1a; summed over the names it is the same in any order.
std::uint64_t hash(std::string_view name) {
  std::uint64_t value = 14695981039346656037ULL;
  for (const char c : name) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return value;
}

std::uint64_t hash_of_names(std::string_view joined) {
  std::uint64_t sum = 0;
  while (!joined.empty()) {
    const std::string_view name = joined.substr(0, joined.find('/'));
    joined.remove_prefix(std::min(name.size() + 1, joined.size()));
    sum += hash(name);
  }
  return sum;
}

// linux_dirent64 of getdents64(2): inode and offset of 8 bytes each, the size of the entry, its type, its name.
constexpr std::size_t kSizeAt = 16;
constexpr std::size_t kNameAt = 19;

}  // namespace

WatchedFile::WatchedFile(FilePlan plan) : plan_(std::move(plan)) {
  if (plan_.folder && plan_.expected) names_ = hash_of_names(*plan_.expected);
}

WatchedFile::~WatchedFile() {
  if (fd_ >= 0) ::close(fd_);
}

WatchedFile::WatchedFile(WatchedFile&& other) noexcept
    : plan_(std::move(other.plan_)), fd_(std::exchange(other.fd_, -1)), refused_(other.refused_), known_(other.known_),
      names_(other.names_), size_(other.size_), bytes_(other.bytes_) {}

bool WatchedFile::read() {
  if (plan_.folder) return read_names();
  known_ = !refused_ && read_text();
  if (plan_.expected && text() != std::string_view(*plan_.expected)) return false;
  return !plan_.limit || !known_ || counter_of(*text()) != plan_.limit;
}

std::optional<std::string_view> WatchedFile::text() const {
  if (!known_) return std::nullopt;
  return std::string_view(bytes_.data(), size_);
}

bool WatchedFile::read_text() {
  if (fd_ < 0) {
    // Attributes of sysfs are no links; a pipe must not hold us.
    if (!open(O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)) return false;
    struct stat status;
    if (::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) return fail(EINVAL), false;
  }
  const ssize_t size = ::pread(fd_, bytes_.data(), bytes_.size(), 0);
  if (size < 0) return fail(errno), false;
  size_ = static_cast<std::size_t>(size);
  // Longer than anything that is watched: no number, and not what is expected.
  if (size_ < bytes_.size() && size_ > 0 && bytes_[size_ - 1] == '\n') --size_;
  return true;
}

bool WatchedFile::read_names() {
  if (fd_ < 0 && !open(O_RDONLY | O_DIRECTORY)) return plan_.absent;
  if (::lseek(fd_, 0, SEEK_SET) < 0) return fail(errno), plan_.absent;
  std::array<char, 8192> buffer;
  std::uint64_t sum = 0;
  std::size_t count = 0;
  for (;;) {
    const long size = ::syscall(SYS_getdents64, fd_, buffer.data(), buffer.size());
    if (size < 0) return fail(errno), plan_.absent;
    if (size == 0) break;
    for (long at = 0; at < size;) {
      const char* entry = buffer.data() + at;
      std::uint16_t length = 0;
      std::memcpy(&length, entry + kSizeAt, sizeof(length));
      const std::string_view name(entry + kNameAt);
      if (name != "." && name != "..") {
        sum += hash(name);
        if (++count > kMostNames) return false;
      }
      at += length;
    }
  }
  return !plan_.absent && sum == names_;
}

bool WatchedFile::open(int flags) {
  fd_ = ::open(plan_.path.c_str(), flags | O_CLOEXEC);
  if (fd_ >= 0) return true;
  fail(errno);
  return false;
}

void WatchedFile::fail(int error) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  // A folder comes and goes.
  refused_ = !plan_.folder && !is_passing(error);
}

}  // namespace faultline
