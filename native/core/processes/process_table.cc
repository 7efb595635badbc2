// Which processes of a host carry a variable in their environment.
#include "core/processes/process_table.h"

#include <string.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <unordered_set>
#include <utility>

namespace faultline {
namespace {

// As long as the kernel lets one string be; real environments have a few KiB.
constexpr std::size_t kMostEnvironment = 256 * 1024;
constexpr std::size_t kMostStatus = 64 * 1024;
// A process that is not wanted yet may become so when it starts its program.
constexpr int kLooks = 3;
constexpr std::size_t kMostProcesses = 32'768;
constexpr std::size_t kMostWanted = 1024;
constexpr std::size_t kMostHangingReads = 4;
// A log may be opened a while after the start; later only one look in so many.
constexpr std::uint32_t kFirstFileLooks = 6;
constexpr std::uint32_t kScansBetweenFileLooks = 30;

std::optional<std::uint32_t> pid_of(const std::string& name) {
  std::uint32_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc() || end != name.data() + name.size() || name.size() > 10) return std::nullopt;
  return pid;
}

}  // namespace

ProcessTable::ProcessTable(ProcessTableOptions options, std::unique_ptr<ProcessFiles> files, std::int64_t limit_ns)
    : options_(std::move(options)), files_(std::move(files)),
      steps_(std::make_shared<Steps>(limit_ns, kMostHangingReads)) {}

bool ProcessTable::scan(std::function<void(ProcessScan)> done) {
  const auto self = shared_from_this();
  return steps_->run([self] { return self->next(); },
                     [self, done = std::move(done)] {
                       ProcessScan scan = self->steps_->locked([&] { return self->result(); });
                       scan.hanging = self->steps_->hanging();
                       done(std::move(scan));
                     });
}

std::optional<Steps::Step> ProcessTable::next() {
  const auto self = shared_from_this();
  if (!listed_) {
    listed_ = true;
    at_ = files_at_ = 0;
    ++scans_;
    return Steps::Step{options_.proc, [self] { return self->list(); }};
  }
  while (at_ < pids_.size()) {
    const std::uint32_t pid = pids_[at_++];
    const Known known = known_[pid];
    if (known.refused || known.looks >= kLooks) continue;
    return Steps::Step{options_.proc + "/" + std::to_string(pid), [self, pid, known, mounts = own_mounts_]() -> Steps::Take {
                         return [self, pid, look = self->look(pid, known, mounts)] { self->take(pid, look); };
                       }};
  }
  return next_files();
}

// After all of them: which are wanted is known by now.
std::optional<Steps::Step> ProcessTable::next_files() {
  const auto self = shared_from_this();
  while (files_at_ < pids_.size()) {
    const std::uint32_t pid = pids_[files_at_++];
    const auto known = known_.find(pid);
    if (known == known_.end() || !known->second.wanted) continue;
    if (known->second.file_looks >= kFirstFileLooks && scans_ % kScansBetweenFileLooks != 0) continue;
    return Steps::Step{options_.proc + "/" + std::to_string(pid) + "/fd", [self, pid, pids = pids_]() -> Steps::Take {
                         std::vector<WrittenFile> files = written_files(*self->files_, self->options_.proc, pid, pids);
                         return [self, pid, files = std::move(files)] {
                           Known& taken = self->known_[pid];
                           ++taken.file_looks;
                           if (taken.files == files) return;
                           taken.files = files;
                           self->writes_.push_back({pid, files});
                         };
                       }};
  }
  return std::nullopt;
}

Steps::Take ProcessTable::list() {
  std::vector<std::string> names;
  files_->list(options_.proc, names);
  std::vector<std::uint32_t> pids;
  for (const std::string& name : names) {
    const auto pid = pid_of(name);
    if (pid && pids.size() < kMostProcesses) pids.push_back(*pid);
  }
  // The first process under a job's name owns it. procfs lists by pid; a copy of it, as in tests, in any order.
  std::ranges::sort(pids);
  std::string mounts;
  if (files_->link(options_.proc + "/self/ns/mnt", mounts) != 0) mounts.clear();
  return [self = shared_from_this(), pids = std::move(pids), mounts] {
    const std::unordered_set<std::uint32_t> there(pids.begin(), pids.end());
    std::erase_if(self->known_, [&](const auto& entry) { return !there.contains(entry.first); });
    self->wanted_ = static_cast<std::size_t>(std::count_if(self->known_.begin(), self->known_.end(),
                                                           [](const auto& entry) { return entry.second.wanted; }));
    self->pids_ = pids;
    self->own_mounts_ = mounts;
  };
}

ProcessTable::Look ProcessTable::look(std::uint32_t pid, const Known& known, const std::string& own_mounts) const {
  const std::string folder = options_.proc + "/" + std::to_string(pid);
  Look look;
  std::string text;
  const int error = files_->read(folder + "/environ", kMostEnvironment, text);
  look.kind = error == EACCES || error == EPERM ? Look::Kind::refused : Look::Kind::unwanted;
  WantedProcess& process = look.process;
  if (error == 0) process.values = environment_values(text, options_.variables);
  ::explicit_bzero(text.data(), text.size());  // what else is in an environment does not stay in our memory
  if (process.values.empty() || process.values[options_.marker].value_or("").empty()) return look;
  process.pid = pid;
  process.start_ticks = files_->read(folder + "/stat", kMostStatus, text) == 0 ? start_ticks(text) : 0;
  if (known.wanted && known.start_ticks == process.start_ticks && known.values == process.values) {
    look.kind = Look::Kind::unchanged;
    return look;
  }
  if (files_->read(folder + "/status", kMostStatus, text) == 0) process.owner = owner_of(text);
  if (process.owner.empty()) {
    // A tree that is not a procfs has no such file: its owner is as good.
    std::uint32_t user = 0;
    look.kind = Look::Kind::gone;
    if (files_->owner(folder, user) != 0) return look;
    process.owner = {user};
  }
  std::string mounts;
  process.own_mounts = files_->link(folder + "/ns/mnt", mounts) != 0 || mounts != own_mounts;
  if (files_->read(folder + "/cmdline", kMostEnvironment, text) == 0) process.command = command_words(text);
  look.kind = Look::Kind::changed;
  return look;
}

void ProcessTable::take(std::uint32_t pid, Look look) {
  Known& known = known_[pid];
  const bool lost = known.wanted && (look.kind == Look::Kind::refused || look.kind == Look::Kind::unwanted);
  if (lost) --wanted_;
  switch (look.kind) {
    case Look::Kind::gone:
    case Look::Kind::unchanged:
      return;
    case Look::Kind::refused:
      known = {};
      known.refused = true;
      return;
    case Look::Kind::unwanted:
      known = {.looks = known.looks + 1, .refused = false, .wanted = false, .start_ticks = 0, .values = {}, .file_looks = 0, .files = {}};
      return;
    case Look::Kind::changed:
      break;
  }
  if (!known.wanted && wanted_ >= kMostWanted) {
    ++known.looks;
    return;
  }
  if (!known.wanted) ++wanted_;
  known = {.looks = 0, .refused = false, .wanted = true, .start_ticks = look.process.start_ticks,
           .values = look.process.values, .file_looks = 0, .files = {}};
  changed_.push_back(std::move(look.process));
}

ProcessScan ProcessTable::result() {
  listed_ = false;
  ProcessScan scan;
  for (const std::uint32_t pid : pids_) {
    const auto found = known_.find(pid);
    if (found == known_.end()) continue;
    if (found->second.wanted) scan.present.push_back(pid);
    if (found->second.refused) ++scan.refused;
  }
  scan.changed = std::exchange(changed_, {});
  scan.writes = std::exchange(writes_, {});
  return scan;
}

}  // namespace faultline
