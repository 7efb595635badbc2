// Small sysfs files: read once, or kept open and read again from the start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace faultline {

// First line of a small file, at most 255 bytes.
std::optional<std::string> read_text(const std::string& path);
std::optional<std::uint64_t> read_number(const std::string& path);

class Attribute {
 public:
  Attribute() = default;
  ~Attribute();
  Attribute(Attribute&& other) noexcept;
  Attribute& operator=(Attribute&& other) noexcept;

  // 0, or the errno of why it cannot be opened.
  int open(const std::string& path);
  bool is_open() const { return fd_ >= 0; }
  // The number in it now; on failure nothing, with `error` set (EINVAL: not a number).
  std::optional<std::uint64_t> read(int& error) const;

 private:
  int fd_ = -1;
};

}  // namespace faultline
