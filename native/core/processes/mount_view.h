// Whether a process sees the file system as this one does, also where its namespace may not be looked at.
#pragma once

#include <string>
#include <string_view>

#include "core/processes/process_files.h"

namespace faultline {

class MountView {
 public:
  // Of this process and of the host's first one, below `proc`. Once for each look at all processes; what does not change is read once.
  void learn(const ProcessFiles& files, const std::string& proc);
  // `folder`: of a process, in the same procfs. A service has a namespace of its own, whose files are those of the host: so a path
  // of a process that is in the host's own namespace is the same file here.
  bool is_shared(const ProcessFiles& files, const std::string& folder) const;

 private:
  std::string own_;         // link of our namespace
  std::string host_first_;  // the first mount of the host's namespace; no other namespace has a mount of its number
  bool asked_ = false;
  bool on_host_root_ = false;
};

// Of /proc/<pid>/mountinfo: its first line; and the file system that is mounted at "/", as device and folder of it. proc(5)
std::string first_mount(std::string_view mountinfo);
std::string root_mount(std::string_view mountinfo);

}  // namespace faultline
