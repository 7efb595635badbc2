// Which files a process writes, itself or through others.
#include "core/processes/written_files.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <set>
#include <unordered_set>

namespace faultline {
namespace {

constexpr std::size_t kMostAncestors = 8;
constexpr std::size_t kMostWritten = 64;
constexpr std::size_t kMostOpenDevices = 64;
constexpr std::size_t kMostDescriptors = 4096;
constexpr std::size_t kMostShortText = 4096;

std::uint64_t number_behind(std::string_view text, std::string_view label, int base) {
  const std::size_t at = text.find(label);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = text.substr(at + label.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::uint64_t value = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  return value;
}

bool is_file(std::string_view target) {
  return target.starts_with('/') && !target.starts_with("/dev/") && !target.starts_with("/proc/") &&
         !target.starts_with("/memfd:");
}

// What is asked of a process besides the files that it writes.
struct Wanted {
  std::unordered_set<std::string>* pipes = nullptr;  // of its output
  std::set<std::string>* devices = nullptr;
  const std::vector<std::string>* beginnings = nullptr;  // of the paths of devices
};

// Adds what one process writes, and what else is wanted of it.
void add(const ProcessFiles& files, const std::string& folder, WrittenBy by, std::vector<WrittenFile>& written,
         const Wanted& wanted) {
  std::vector<ListedFile> descriptors;
  if (files.list(folder + "/fd", descriptors) != 0) return;
  descriptors.resize(std::min(descriptors.size(), kMostDescriptors));
  std::string target;
  std::string info;
  for (const auto& [name, inode] : descriptors) {
    if (written.size() >= kMostWritten && wanted.devices == nullptr) return;
    if (name.starts_with('.') || files.link(folder + "/fd/" + name, target) != 0) continue;
    if (wanted.pipes != nullptr && (name == "1" || name == "2") && target.starts_with("pipe:[")) wanted.pipes->insert(target);
    if (wanted.devices != nullptr && wanted.devices->size() < kMostOpenDevices &&
        std::ranges::any_of(*wanted.beginnings, [&](const std::string& one) { return target.starts_with(one); }))
      wanted.devices->insert(target);
    if (written.size() >= kMostWritten || !is_file(target) || files.read(folder + "/fdinfo/" + name, kMostShortText, info) != 0) continue;
    if ((number_behind(info, "flags:", 8) & O_ACCMODE) == O_RDONLY) continue;
    WrittenFile file{target, number_behind(info, "ino:", 10), by, name == "1" || name == "2"};
    const auto same = [&](const WrittenFile& one) { return one.path == file.path && one.inode == file.inode; };
    const auto known = std::ranges::find_if(written, same);
    if (known == written.end()) written.push_back(std::move(file));
    else if (known->by == file.by) known->output = known->output || file.output;
  }
}

}  // namespace

std::string own_group(std::string_view cgroup) {
  for (std::size_t at = 0; at < cgroup.size();) {
    const std::size_t end = std::min(cgroup.find('\n', at), cgroup.size());
    std::string_view path = cgroup.substr(at, end - at);
    at = end + 1;
    path.remove_prefix(std::min(path.find('/'), path.size()));
    // Slurm's job has its steps below it; a container's group is the last of its path.
    constexpr std::string_view kScope = "slurmstepd.scope/";
    std::size_t job = path.find("/job_");
    if (const std::size_t scope = path.find(kScope); job == std::string_view::npos && scope != std::string_view::npos) {
      // From 26.05 on the job's group has its SLUID: s and 13 characters.
      const std::size_t name = scope + kScope.size();
      if (std::min(path.find('/', name), path.size()) - name == 14) job = name - 1;
    }
    if (job != std::string_view::npos) return std::string(path.substr(0, path.find('/', job + 1)));
    const std::string_view last = path.substr(std::min(path.rfind('/') + 1, path.size()));
    for (const std::string_view kind : {"docker-", "cri-containerd-", "crio-", "libpod-"})
      if (last.starts_with(kind)) return std::string(path);
  }
  return {};
}

OpenFiles open_files(const ProcessFiles& files, const std::string& proc, std::uint32_t pid,
                     const std::vector<Fellow>& fellows, const std::vector<std::string>& devices) {
  std::vector<WrittenFile> written;
  std::set<std::string> open;
  std::unordered_set<std::string> pipes;
  std::unordered_set<std::uint32_t> seen;
  std::string text;
  const auto folder_of = [&](std::uint32_t one) { return proc + "/" + std::to_string(one); };
  // The first process of a host, and of a container, has started everything.
  for (std::uint32_t one = pid; one > 1 && seen.size() <= kMostAncestors && seen.insert(one).second;) {
    if (one == pid) add(files, folder_of(one), WrittenBy::itself, written, {&pipes, &open, &devices});
    else add(files, folder_of(one), WrittenBy::ancestor, written, {&pipes});
    one = files.read(folder_of(one) + "/stat", kMostShortText, text) == 0 ? parent_of(text) : 0;
  }
  const auto own = std::ranges::find(fellows, pid, &Fellow::pid);
  const std::string group = own == fellows.end() ? std::string() : own->group;
  const auto all = [&] { return OpenFiles{std::move(written), {open.begin(), open.end()}}; };
  if (pipes.empty() && group.empty()) return all();
  std::vector<std::uint32_t> same_group;
  std::string target;
  for (const Fellow& other : fellows) {
    if (seen.contains(other.pid)) continue;
    if (!pipes.empty() && files.link(folder_of(other.pid) + "/fd/0", target) == 0 && pipes.contains(target))
      add(files, folder_of(other.pid), WrittenBy::pipe, written, {});
    else if (!group.empty() && other.group == group)
      same_group.push_back(other.pid);
  }
  for (const std::uint32_t other : same_group) add(files, folder_of(other), WrittenBy::group, written, {});
  return all();
}

}  // namespace faultline
