// Whether a process sees the file system as this one does.
#include "core/processes/mount_view.h"

#include <algorithm>
#include <array>

namespace faultline {
namespace {

constexpr std::size_t kMostFirst = 4096;
constexpr std::size_t kMostMounts = 4 * 1024 * 1024;

}  // namespace

std::string first_mount(std::string_view mountinfo) {
  const std::size_t end = mountinfo.find('\n');
  return end == std::string_view::npos ? std::string() : std::string(mountinfo.substr(0, end));
}

std::string root_mount(std::string_view mountinfo) {
  std::string found;
  while (!mountinfo.empty()) {
    const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    std::string_view line = mountinfo.substr(0, end);
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    // "<id> <parent> <major:minor> <root> <mount point> …"
    std::array<std::string_view, 5> fields;
    for (std::string_view& field : fields) {
      const std::size_t blank = std::min(line.find(' '), line.size());
      field = line.substr(0, blank);
      line.remove_prefix(std::min(blank + 1, line.size()));
    }
    // What is mounted over it later counts.
    if (fields[4] == "/") found = std::string(fields[2]) + ' ' + std::string(fields[3]);
  }
  return found;
}

void MountView::learn(const ProcessFiles& files, const std::string& proc) {
  std::string text;
  if (files.link(proc + "/self/ns/mnt", own_) != 0) own_.clear();
  host_first_.clear();
  if (files.read(proc + "/1/mountinfo", kMostFirst, text) == 0) host_first_ = first_mount(text);
  if (asked_ || host_first_.empty()) return;
  asked_ = true;
  std::string own;
  if (files.read(proc + "/1/mountinfo", kMostMounts, text) != 0 || files.read(proc + "/self/mountinfo", kMostMounts, own) != 0) return;
  const std::string root = root_mount(own);
  on_host_root_ = !root.empty() && root == root_mount(text);
}

bool MountView::is_shared(const ProcessFiles& files, const std::string& folder) const {
  std::string text;
  // Where it may be looked at, it tells; and then there is a way to what is not shared, too.
  if (files.link(folder + "/ns/mnt", text) == 0) return !own_.empty() && text == own_;
  if (!on_host_root_ || host_first_.empty()) return false;
  return files.read(folder + "/mountinfo", kMostFirst, text) == 0 && first_mount(text) == host_first_;
}

}  // namespace faultline
