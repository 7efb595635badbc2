// A regular file in kmsg form, read as it grows; knows when it was cut or replaced.
#include "core/files/next_data.h"
#include "core/kernel_log/log_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/kernel_log/kmsg.h"

namespace faultline {
namespace {

// A reader that is further behind continues with the newest: a file can be made larger than any can read.
constexpr off_t kMostBehind = off_t{256} * 1024 * 1024;
constexpr off_t kKept = off_t{64} * 1024 * 1024;

}  // namespace

LogFile::LogFile(int fd, std::string path, bool from_start) : fd_(fd), path_(std::move(path)) {
  struct stat status {};
  if (!from_start && ::fstat(fd_, &status) == 0) offset_ = status.st_size;
}

LogFile::~LogFile() { ::close(fd_); }

void LogFile::take(KernelIntake& intake, const char* data, std::size_t size) {
  std::string_view rest(data, size);
  while (!rest.empty()) {
    const std::size_t newline = rest.find('\n');
    const std::string_view piece = rest.substr(0, newline);
    if (!skipping_ && partial_.size() + piece.size() > kMaxKmsgBytes) {
      skipping_ = true;
      partial_.clear();
      intake.malformed();
    }
    if (newline == std::string_view::npos) {
      if (!skipping_) partial_ += piece;
      return;
    }
    rest.remove_prefix(newline + 1);
    if (std::exchange(skipping_, false)) continue;
    const std::string_view line = partial_.empty() ? piece : std::string_view(partial_ += piece);
    // ` KEY=value` lines belong to the record before them.
    if (!line.empty() && line[0] != ' ') intake.record(line);
    partial_.clear();
  }
}

// Reads on from another place: what is left of a line there is none.
void LogFile::continue_at(off_t offset, bool inside_a_line) {
  offset_ = offset;
  partial_.clear();
  skipping_ = inside_a_line;
}

void LogFile::read_on(KernelIntake& intake, const StopSignal& stop) {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) return;
  if (status.st_size < offset_) continue_at(0, false);
  if (status.st_size - next_data(fd_, offset_) > kMostBehind) {
    continue_at(status.st_size - kKept, true);
    intake.overrun();
  }
  std::array<char, 32 * 1024> buffer;
  // Up to here: whether it is the file still is asked between two rounds, however fast it grows.
  while (!stop.raised() && offset_ < status.st_size) {
    const off_t data = next_data(fd_, offset_);
    if (data > offset_) {
      continue_at(std::min(data, status.st_size), false);
      continue;
    }
    const ssize_t size = ::pread(fd_, buffer.data(), buffer.size(), offset_);
    if (size <= 0) return;
    offset_ += size;
    take(intake, buffer.data(), static_cast<std::size_t>(size));
  }
}

LogFile::Fate LogFile::fate() const {
  struct stat ours {};
  struct stat theirs {};
  if (::stat(path_.c_str(), &theirs) != 0) return Fate::gone;
  if (::fstat(fd_, &ours) != 0) return Fate::replaced;
  return ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev ? Fate::same : Fate::replaced;
}

}  // namespace faultline
