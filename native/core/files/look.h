// One look at a file that grows: how large it is, whether it is still the one that it was, and what was added to it.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

namespace faultline {

struct FileLook {
  int error = 0;            // errno where the file cannot be looked at: then nothing else is known
  struct stat file {};
  bool named = false;       // the path leads somewhere: to `name`
  struct stat name {};
  bool begins = false;      // its first bytes are those given; not looked at where nothing was added
  std::string added;        // what is behind the offset; empty where that is more than `most`
};

// `path`: the name that it was opened by, which may be another file's by now.
FileLook look_at(int fd, const std::string& path, off_t offset, std::size_t most, std::string_view head);

}  // namespace faultline
