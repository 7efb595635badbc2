// Small sysfs files: read once, or kept open and read again from the start.
#include "core/rapl/attribute.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

namespace faultline {
namespace {

// What is before the first newline, in `buffer`; nothing when it cannot be read.
std::optional<std::string_view> read_fd(int fd, std::array<char, 256>& buffer) {
  const ssize_t size = ::pread(fd, buffer.data(), buffer.size() - 1, 0);
  if (size < 0) return std::nullopt;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::optional<std::string> read_text(const std::string& path) {
  // Non-blocking, so that a pipe in a hostile tree cannot hold us.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return std::nullopt;
  std::array<char, 256> buffer;
  const auto text = read_fd(fd, buffer);
  ::close(fd);
  if (!text) return std::nullopt;
  return std::string(*text);
}

std::optional<std::uint64_t> read_number(const std::string& path) {
  Attribute attribute;
  int error = attribute.open(path);
  if (error != 0) return std::nullopt;
  return attribute.read(error);
}

Attribute::~Attribute() {
  if (fd_ >= 0) ::close(fd_);
}

Attribute::Attribute(Attribute&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Attribute& Attribute::operator=(Attribute&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

int Attribute::open(const std::string& path) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return fd_ >= 0 ? 0 : errno;
}

std::optional<std::uint64_t> Attribute::read(int& error) const {
  std::array<char, 256> buffer;
  const auto text = read_fd(fd_, buffer);
  if (!text) {
    error = errno;
    return std::nullopt;
  }
  std::uint64_t number = 0;
  const char* last = text->data() + text->size();
  const auto [stopped, failure] = std::from_chars(text->data(), last, number);
  error = failure == std::errc() && stopped == last ? 0 : EINVAL;
  if (error != 0) return std::nullopt;
  return number;
}

}  // namespace faultline
