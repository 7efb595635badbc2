// Which files a process writes, itself or through others.
#include "core/processes/written_files.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace faultline {
namespace {

constexpr std::size_t kMostAncestors = 8;
constexpr std::size_t kMostWritten = 64;
constexpr std::size_t kMostOpenDevices = 64;
constexpr std::size_t kMostShortText = 4096;
// Where each of them is asked of the reader.
constexpr std::size_t kMostNear = 64;
constexpr std::size_t kMostOfGroup = 16;

// What is asked of a process besides the files that it writes.
struct Wanted {
  std::unordered_set<std::string>* pipes = nullptr;  // of its output
  std::set<std::string>* devices = nullptr;
  const std::vector<std::string>* beginnings = nullptr;  // of the paths of devices
};

// Adds what one process writes, and what else is wanted of it.
void add(const ProcessFiles& files, const std::string& folder, const ProcessKey& process, WrittenBy by,
         std::vector<WrittenFile>& written, const Wanted& wanted) {
  static const std::vector<std::string> kNoDevices;
  std::vector<OpenFile> open;
  files.open_files(folder, process, wanted.beginnings == nullptr ? kNoDevices : *wanted.beginnings, open);
  for (OpenFile& one : open) {
    if (one.is == environ_reader::kOutputPipe && wanted.pipes != nullptr) wanted.pipes->insert(one.text);
    if (one.is == environ_reader::kDeviceFile && wanted.devices != nullptr && wanted.devices->size() < kMostOpenDevices)
      wanted.devices->insert(one.text);
    if ((one.is & environ_reader::kWritten) == 0 || written.size() >= kMostWritten) continue;
    WrittenFile file{std::move(one.text), one.inode, by, (one.is & environ_reader::kOutput) != 0};
    const auto same = [&](const WrittenFile& other) { return other.path == file.path && other.inode == file.inode; };
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

OpenFiles open_files(const ProcessFiles& files, const std::string& proc, const ProcessKey& process,
                     const std::vector<Fellow>& fellows, const std::vector<std::string>& devices) {
  std::vector<WrittenFile> written;
  std::set<std::string> open;
  std::unordered_set<std::string> pipes;
  std::unordered_set<std::uint32_t> seen;
  std::string text;
  const auto folder_of = [&](std::uint32_t one) { return proc + "/" + std::to_string(one); };
  // The first process of a host, and of a container, has started everything.
  for (ProcessKey one = process; one.pid > 1 && seen.size() <= kMostAncestors && seen.insert(one.pid).second;) {
    const bool read = files.read(folder_of(one.pid) + "/stat", kMostShortText, text) == 0;
    if (one.pid != process.pid) one.start_ticks = read ? start_ticks(text) : 0;
    if (one.pid == process.pid) add(files, folder_of(one.pid), one, WrittenBy::itself, written, {&pipes, &open, &devices});
    else add(files, folder_of(one.pid), one, WrittenBy::ancestor, written, {&pipes});
    one = {read ? parent_of(text) : 0, 0};
  }
  const auto own = std::ranges::find(fellows, process.pid, &Fellow::pid);
  const std::string group = own == fellows.end() ? std::string() : own->group;
  const auto all = [&] { return OpenFiles{std::move(written), {open.begin(), open.end()}}; };
  if (pipes.empty() && group.empty()) return all();
  std::vector<ProcessKey> same_group;
  std::string target;
  std::size_t near = 0;
  for (const Fellow& other : fellows) {
    if (seen.contains(other.pid)) continue;
    const ProcessKey key{other.pid, other.start_ticks};
    // A shell starts both ends of a pipe.
    const bool is_near = seen.contains(other.parent) && ++near <= kMostNear;
    if (!pipes.empty() && files.input(folder_of(other.pid), key, is_near, target) == 0 && pipes.contains(target))
      add(files, folder_of(other.pid), key, WrittenBy::pipe, written, {});
    else if (!group.empty() && other.group == group)
      same_group.push_back(key);
  }
  if (files.reader() != nullptr) same_group.resize(std::min(same_group.size(), kMostOfGroup));
  for (const ProcessKey& other : same_group) add(files, folder_of(other.pid), other, WrittenBy::group, written, {});
  return all();
}

}  // namespace faultline
