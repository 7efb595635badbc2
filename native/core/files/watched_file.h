// One file or folder of a watch: kept open, read from its start at each round, and given up where it refuses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace faultline {

struct FilePlan {
  std::string path;
  // Else a file: regular, at most 63 bytes; a folder has at most 4096 names.
  bool folder = false;
  // Of a file: the text that it must keep, without the newline at its end. Of a folder: its names joined by "/", where it
  // is none: `expected` is empty and `absent` is set.
  std::optional<std::string> expected;
  bool absent = false;
  // The counter stops at this value: reported when it gets there.
  std::optional<double> limit;
  // Read in slow rounds only.
  bool slow = false;
};

class WatchedFile {
 public:
  explicit WatchedFile(FilePlan plan);
  ~WatchedFile();
  WatchedFile(WatchedFile&& other) noexcept;
  WatchedFile& operator=(WatchedFile&&) = delete;

  const FilePlan& plan() const { return plan_; }
  // Looks again. False once it is not as it is expected to be.
  bool read();
  // The text of the last read, without the newline at its end; nothing where it could not be read.
  std::optional<std::string_view> text() const;

 private:
  bool read_text();
  bool read_names();
  bool open(int flags);
  void fail(int error);

  static constexpr std::size_t kMostBytes = 64;

  FilePlan plan_;
  int fd_ = -1;
  bool refused_ = false;
  bool known_ = false;
  std::uint64_t names_ = 0;  // expected ones, hashed in any order
  std::size_t size_ = 0;
  std::array<char, kMostBytes> bytes_;
};

}  // namespace faultline
