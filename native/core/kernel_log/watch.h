// An inotify instance that tells when a file changes, or when its name comes to lead elsewhere.
#pragma once

#include <string>

#include "core/thread.h"

namespace faultline {

class PathWatch {
 public:
  PathWatch();
  ~PathWatch();
  PathWatch(const PathWatch&) = delete;
  PathWatch& operator=(const PathWatch&) = delete;

  // Names made, moved or removed in the folder that holds `path`.
  bool watch_parent(const std::string& path);
  // Growth and truncation of the file itself; replaces the file watched before.
  bool watch_file(const std::string& path);
  // Until something happened, a stop, or `timeout_ms` (-1 = for ever). Whatever happened is consumed.
  void wait(const StopSignal& stop, int timeout_ms);

 private:
  int fd_;
  int file_watch_ = -1;
};

}  // namespace faultline
