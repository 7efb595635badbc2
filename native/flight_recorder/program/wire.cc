// The pipe from the process that opens dump files to the one that reads what is in them.
#include "flight_recorder/program/wire.h"

#include <unistd.h>

#include <cerrno>

namespace faultline::reader {
namespace {

constexpr std::uint32_t MAX_TEXT = 8192;

struct Header {
  std::uint32_t path, error, folder_error, named;
  std::uint64_t bytes;
  std::int64_t modified_ns;
};

bool read_text(int fd, std::uint32_t size, std::string& into) {
  if (size > MAX_TEXT) return false;
  into.resize(size);
  return read_all(fd, into.data(), size);
}

std::string_view cut(const std::string& text) { return std::string_view(text).substr(0, MAX_TEXT); }

}  // namespace

bool read_all(int fd, void* into, std::size_t size) {
  auto* at = static_cast<unsigned char*>(into);
  while (size > 0) {
    const ssize_t got = ::read(fd, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int fd, const void* from, std::size_t size) {
  const auto* at = static_cast<const unsigned char*>(from);
  while (size > 0) {
    const ssize_t put = ::write(fd, at, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    size -= static_cast<std::size_t>(put);
  }
  return true;
}

bool send(int fd, const flight_recorder::GivenFile& file) {
  const std::string_view path = cut(file.path), error = cut(file.read.error), folder = cut(file.folder_error);
  const auto length = [](std::string_view text) { return static_cast<std::uint32_t>(text.size()); };
  const Header header{length(path), length(error), length(folder), file.named ? 1u : 0u, file.read.bytes.size(),
                      file.read.modified_ns};
  return write_all(fd, &header, sizeof header) && write_all(fd, path.data(), path.size()) &&
         write_all(fd, error.data(), error.size()) && write_all(fd, folder.data(), folder.size()) &&
         write_all(fd, file.read.bytes.data(), file.read.bytes.size());
}

std::optional<flight_recorder::GivenFile> receive(int fd) {
  Header header{};
  flight_recorder::GivenFile file;
  if (!read_all(fd, &header, sizeof header) || header.bytes > flight_recorder::MAX_FILE_BYTES) return std::nullopt;
  if (!read_text(fd, header.path, file.path) || !read_text(fd, header.error, file.read.error) ||
      !read_text(fd, header.folder_error, file.folder_error)) {
    return std::nullopt;
  }
  file.named = header.named != 0;
  file.read.modified_ns = header.modified_ns;
  file.read.bytes.resize(static_cast<std::size_t>(header.bytes));
  if (!read_all(fd, file.read.bytes.data(), file.read.bytes.size())) return std::nullopt;
  return file;
}

}  // namespace faultline::reader
