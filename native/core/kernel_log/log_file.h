// A regular file in kmsg form, read as it grows; knows when it was cut or replaced.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "core/kernel_log/intake.h"

namespace faultline {

class LogFile {
 public:
  // Takes over `fd`.
  LogFile(int fd, std::string path, bool from_start);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  enum class Fate { same, replaced, gone };
  // Reads to the end, without holes; a file shorter than what was read starts again, of one that is far ahead the newest is read.
  void read_on(KernelIntake& intake, const StopSignal& stop);
  // What the path leads to now.
  Fate fate() const;

 private:
  void take(KernelIntake& intake, const char* data, std::size_t size);
  void continue_at(off_t offset, bool inside_a_line);

  int fd_;
  std::string path_;
  off_t offset_ = 0;
  std::string partial_;
  bool skipping_ = false;  // the rest of a line that is too long
};

}  // namespace faultline
