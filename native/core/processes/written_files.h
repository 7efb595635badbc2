// Which files a process writes, itself or through others: those that started it, that read its output, or that share its group.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/processes/process_files.h"

namespace faultline {

// How near the process that has the file open is to the one that is asked about.
enum class WrittenBy : std::uint8_t { itself, ancestor, pipe, group };

struct WrittenFile {
  std::string path;  // as that process sees it
  std::uint64_t inode = 0;  // 0 where the kernel does not say (before 5.14)
  WrittenBy by = WrittenBy::itself;
  bool output = false;  // its standard output or error
  bool operator==(const WrittenFile&) const = default;
};

// A process that may read what another prints, or be of its group.
struct Fellow {
  std::uint32_t pid = 0;
  std::string group;  // as `own_group` has it
  std::uint64_t start_ticks = 0;
  std::uint32_t parent = 0;
};

struct OpenFiles {
  std::vector<WrittenFile> written;
  std::vector<std::string> devices;  // rising
};

// `devices`: what the paths of device files begin with that are reported where the process itself has them open.
// `fellows`: all processes there are, rising by pid.
OpenFiles open_files(const ProcessFiles& files, const std::string& proc, const ProcessKey& process,
                     const std::vector<Fellow>& fellows, const std::vector<std::string>& devices);

// Of /proc/<pid>/cgroup: the group that only one job's or container's processes are in; empty where there is none.
std::string own_group(std::string_view cgroup);

}  // namespace faultline
