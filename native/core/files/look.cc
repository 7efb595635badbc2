// One look at a file that grows: how large it is, whether it is still the one that it was, and what was added to it.
#include "core/files/look.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace faultline {
namespace {

// As many as there are, where a signal or the file system cuts a read short.
std::string read_at(int fd, off_t offset, std::size_t length) {
  std::string bytes(length, '\0');
  std::size_t had = 0;
  while (had < length) {
    const ssize_t got = ::pread(fd, bytes.data() + had, length - had, offset + static_cast<off_t>(had));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    had += static_cast<std::size_t>(got);
  }
  bytes.resize(had);
  return bytes;
}

}  // namespace

FileLook look_at(int fd, const std::string& path, off_t offset, std::size_t most, std::string_view head) {
  FileLook look;
  if (::fstat(fd, &look.file) != 0) {
    look.error = errno;
    return look;
  }
  if (look.file.st_size > offset) {
    look.begins = read_at(fd, 0, head.size()) == head;
    const auto length = static_cast<std::size_t>(look.file.st_size - offset);
    if (length <= most) look.added = read_at(fd, offset, length);
  }
  look.named = ::stat(path.c_str(), &look.name) == 0;
  return look;
}

}  // namespace faultline
