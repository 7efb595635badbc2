// Which processes of a host may be work.
#include "core/processes/process_table.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <unordered_set>
#include <utility>

namespace faultline {
namespace {

constexpr std::size_t kMostCommand = 256 * 1024;
constexpr std::size_t kMostStatus = 64 * 1024;
// A process that is not wanted yet may become so when it starts its program.
constexpr std::uint32_t kLooks = 3;
constexpr std::size_t kMostProcesses = 32'768;
constexpr std::size_t kMostWanted = 16'384;
constexpr std::size_t kMostHangingReads = 4;
// A log may be opened, and a library loaded, a while after the start; later only one look in so many.
constexpr std::uint32_t kFirstLooks = 6;
constexpr std::uint32_t kScansBetweenLooks = 30;
// One that is older is what it will be.
constexpr std::uint64_t kYoungSeconds = 20;

std::uint64_t cpu_now() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

// Whether a process that began at these ticks may still be about to start its program; so it is where procfs does not say.
bool is_young(std::uint64_t start) {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  static const auto kTicks = static_cast<std::uint64_t>(std::max(::sysconf(_SC_CLK_TCK), 1L));
  return start == 0 || start / kTicks + kYoungSeconds > static_cast<std::uint64_t>(time.tv_sec);
}

}  // namespace

ProcessTable::ProcessTable(ProcessTableOptions options, std::unique_ptr<ProcessFiles> files, std::int64_t limit_ns)
    : options_(std::move(options)), files_(std::move(files)),
      steps_(std::make_shared<Steps>(limit_ns, kMostHangingReads)) {}

bool ProcessTable::scan(std::vector<std::uint32_t> holders, std::function<void(ProcessScan)> done) {
  const auto self = shared_from_this();
  const auto held = std::make_shared<std::unordered_set<std::uint32_t>>(holders.begin(), holders.end());
  // Of a process that began to hold a device everything is asked again.
  const auto first = [self, held] {
    if (self->listed_ || !held) return;
    for (const std::uint32_t pid : *held) {
      const auto known = self->known_.find(pid);
      if (known == self->known_.end() || self->holders_.contains(pid)) continue;
      known->second.looks = known->second.file_looks = 0;
      known->second.mark = 0;
      self->young_.insert(pid);
    }
    self->holders_ = *held;
  };
  return steps_->run([self, first] {
                       first();
                       return self->next();
                     },
                     [self, done = std::move(done)] {
                       ProcessScan scan = self->steps_->locked([&] { return self->result(); });
                       scan.hanging = self->steps_->hanging();
                       self->follow_ends();
                       done(std::move(scan));
                     });
}

bool ProcessTable::watch_ends(std::string cgroups, std::function<void()> wake) {
  auto watch = EndWatch::start(std::move(cgroups), std::move(wake));
  const std::lock_guard lock(ends_mutex_);
  if (ends_) ends_->stop();
  ends_ = std::move(watch);
  return ends_ != nullptr;
}

Ends ProcessTable::ends() {
  const std::lock_guard lock(ends_mutex_);
  return ends_ ? ends_->take() : Ends{};
}

void ProcessTable::stop_watching() {
  const std::lock_guard lock(ends_mutex_);
  if (ends_) ends_->stop();
  ends_.reset();
}

// Of each job the ranks before what they started; and the groups of all.
void ProcessTable::follow_ends() {
  std::shared_ptr<EndWatch> watch;
  {
    const std::lock_guard lock(ends_mutex_);
    watch = ends_;
  }
  if (!watch) return;
  std::vector<FollowedProcess> ranks;
  std::vector<FollowedProcess> others;
  std::set<std::string> groups;
  steps_->locked([&] {
    for (const std::uint32_t pid : wanted_) {
      const auto found = known_.find(pid);
      if (found == known_.end()) continue;
      const Known& known = found->second;
      (known.asked ? ranks : others).push_back({{pid, known.process.start_ticks}, known.asked});
      if (!known.own_group.empty()) groups.insert(known.own_group);
    }
  });
  ranks.insert(ranks.end(), others.begin(), others.end());
  watch->follow(ranks, groups);
}

int ProcessTable::lend_log(const ProcessKey& process, std::uint64_t inode) const {
  return files_->lend_log(options_.proc + "/" + std::to_string(process.pid), process, inode);
}

std::optional<Steps::Step> ProcessTable::next() {
  const auto self = shared_from_this();
  const auto step = [self](std::string name, std::function<Steps::Take()> read) {
    return Steps::Step{std::move(name), [self, read = std::move(read)]() -> Steps::Take {
                         const std::uint64_t before = cpu_now();
                         Steps::Take take = read();
                         return [self, take = std::move(take), took = cpu_now() - before] {
                           self->cpu_ns_ += took;
                           take();
                         };
                       }};
  };
  if (!listed_) {
    listed_ = true;
    at_ = files_at_ = 0;
    ++scans_;
    due_.clear();
    ProcessListing::Followed followed;
    for (const std::uint32_t pid : wanted_) (known_[pid].asked ? followed.ranks : followed.others).push_back(pid);
    return step(options_.proc, [self, plan = listing_.plan(std::move(followed)), before = mounts_] { return self->list(plan, before); });
  }
  if (at_ < due_.size()) {
    const std::uint32_t pid = due_[at_++];
    return step(options_.proc + "/" + std::to_string(pid),
                [self, pid, known = known_[pid], holds = holders_.contains(pid), mounts = mounts_]() -> Steps::Take {
                  return [self, pid, look = self->look(pid, known, holds, mounts)] { self->take(pid, look); };
                });
  }
  // After all of them: which are wanted, and of which groups all are, is known by now.
  if (files_at_ == 0) {
    asked_.clear();
    for (const std::uint32_t pid : wanted_) {
      const Known& known = known_[pid];
      if (known.asked && (known.file_looks < kFirstLooks || scans_ % kScansBetweenLooks == 0)) asked_.push_back(pid);
    }
    auto fellows = std::make_shared<std::vector<Fellow>>();
    if (!asked_.empty()) {
      for (const auto& [pid, known] : known_) fellows->push_back({pid, known.own_group, known.start_ticks, known.parent});
      std::ranges::sort(*fellows, {}, &Fellow::pid);
    }
    fellows_ = std::move(fellows);
  }
  if (files_at_ < asked_.size()) {
    const std::uint32_t pid = asked_[files_at_++];
    return step(options_.proc + "/" + std::to_string(pid) + "/fd", [self, pid, start = known_[pid].process.start_ticks, fellows = fellows_]() -> Steps::Take {
      OpenFiles open = open_files(*self->files_, self->options_.proc, {pid, start}, *fellows, self->options_.devices);
      Writes writes{pid, std::move(open.written), {}, std::move(open.devices)};
      self->files_->libraries(self->options_.proc + "/" + std::to_string(pid), {pid, start}, self->options_.libraries, writes.libraries);
      return [self, writes = std::move(writes)] {
        Known& taken = self->known_[writes.pid];
        ++taken.file_looks;
        if (taken.writes.files == writes.files && taken.writes.libraries == writes.libraries && taken.writes.devices == writes.devices) return;
        taken.writes = writes;
        self->writes_.push_back(writes);
      };
    });
  }
  return std::nullopt;
}

Steps::Take ProcessTable::list(const ProcessListing::Plan& plan, const MountView& before) {
  ProcessListing::Found found = ProcessListing::look(*files_, options_.proc, plan, kMostProcesses);
  MountView mounts = before;
  mounts.learn(*files_, options_.proc);
  return [self = shared_from_this(), found = std::move(found), mounts, regained = files_->regained()] {
    if (regained) self->look_again_at_closed();
    self->listed(found);
    self->mounts_ = mounts;
  };
}

// What is there now, and which of it is due.
void ProcessTable::listed(const ProcessListing::Found& found) {
  std::vector<std::uint32_t> gone = found.gone;
  if (found.whole) {
    const std::unordered_map<std::uint32_t, std::uint64_t> there(found.there.begin(), found.there.end());
    for (auto& [pid, known] : known_) {
      const auto now = there.find(pid);
      const bool moved = now != there.end() && known.inode != 0 && now->second != known.inode;
      // The kernel forgets folders that were not asked for: where a look can tell, it says whether this is another process.
      if (now == there.end() || (moved && known.mark == 0)) {
        gone.push_back(pid);
        continue;
      }
      known.inode = now->second;
      if (!moved) continue;
      known.looks = std::min(known.looks, (known.wanted ? kFirstLooks : kLooks) - 1);
      young_.insert(pid);
    }
  }
  std::vector<std::uint32_t> unknown;
  for (const auto& [pid, inode] : found.there)
    if (!known_.contains(pid)) unknown.push_back(pid);
  for (const std::uint32_t pid : gone) forget(pid);
  for (const auto& [pid, inode] : found.there) {
    if (known_.size() >= kMostProcesses) break;
    const auto [known, is_new] = known_.try_emplace(pid);
    if (!is_new) continue;
    known->second.inode = inode;
    young_.insert(pid);
  }
  // It stays in the list until its parent reaps it, and its look finds no work in it.
  for (const std::uint32_t pid : found.ended) young_.insert(pid);
  listing_.took(found, unknown);
  std::set<std::uint32_t> due = young_;
  // What is work may start another program; what is none becomes work soon after its start or never.
  if (scans_ % kScansBetweenLooks == 0) due.insert(wanted_.begin(), wanted_.end());
  due_.assign(due.begin(), due.end());
}

void ProcessTable::look_again_at_closed() {
  for (auto& [pid, known] : known_) {
    if (!known.refused) continue;
    known.looks = known.file_looks = 0;
    known.mark = 0;
    young_.insert(pid);
  }
}

void ProcessTable::forget(std::uint32_t pid) {
  const auto known = known_.find(pid);
  if (known == known_.end()) return;
  if (known->second.refused) --refused_;
  wanted_.erase(pid);
  young_.erase(pid);
  known_.erase(known);
}

// In each scan until it was looked at often enough.
void ProcessTable::look_again(std::uint32_t pid, const Known& known) {
  if (known.looks < (known.wanted ? kFirstLooks : kLooks)) young_.insert(pid);
  else young_.erase(pid);
}

// Whether it is the program that was looked at, by what costs a third of a look. A process of root may become a user's without a
// new program, and with it the rights by which its files are read.
bool ProcessTable::is_same(const Known& known, const std::string& folder, std::string_view stat) const {
  if (known.looks == 0 || known.mark == 0 || program_mark(stat) != known.mark || start_ticks(stat) != known.start_ticks) return false;
  if (!known.wanted) return true;
  if (is_zombie(stat) || known.process.owner.empty() || known.process.owner[0] == 0 || parent_of(stat) != known.process.parent) return false;
  std::string group;
  return files_->read(folder + "/cgroup", kMostStatus, group) == 0 && group == known.process.group;
}

ProcessTable::Look ProcessTable::look(std::uint32_t pid, const Known& known, bool holds, const MountView& mounts) const {
  const std::string folder = options_.proc + "/" + std::to_string(pid);
  Look look;
  std::string text;
  WantedProcess& process = look.process;
  process.pid = pid;
  std::string stat;
  const bool has_stat = files_->read(folder + "/stat", kMostStatus, stat) == 0;
  if (has_stat && is_same(known, folder, stat)) {
    look.kind = Look::Kind::same;
    return look;
  }
  if (files_->read(folder + "/cgroup", kMostStatus, process.group) != 0) process.group.clear();
  look.own_group = own_group(process.group);
  look.mark = has_stat ? program_mark(stat) : 0;
  process.start_ticks = has_stat ? start_ticks(stat) : 0;
  process.parent = has_stat ? parent_of(stat) : 0;
  process.values.resize(options_.variables.size());
  const int error = files_->variables(folder, {pid, process.start_ticks}, options_.variables, process.values);
  look.refused = error == EACCES || error == EPERM;
  process.readable = error == 0;
  for (std::size_t i = 0; i < process.values.size(); ++i) {
    const bool any = std::ranges::find(options_.paths, i) != options_.paths.end();
    if (process.values[i] && !any && !is_plain_value(*process.values[i])) process.values[i].reset();
  }
  const bool same = known.wanted && known.process.start_ticks == process.start_ticks;
  const auto says = [&](const std::vector<std::size_t>& places) {
    return std::ranges::any_of(places, [&](std::size_t place) { return !process.values[place].value_or("").empty(); });
  };
  // Programs write their title over it: what was there at first sight counts for as long as the process lives.
  const bool wiped = std::ranges::none_of(process.values, [](const auto& value) { return value.has_value(); });
  if (same && wiped) {
    process.values = known.process.values;
    process.readable = known.process.readable;
    look.refused = false;
  }
  const bool grouped = std::ranges::any_of(options_.groups, [&](const std::string& each) { return process.group.find(each) != std::string::npos; });
  look.asked = holds || says(options_.ranks);
  look.kind = Look::Kind::unwanted;
  if (!(holds || grouped || says(options_.markers)) || (has_stat && is_zombie(stat))) return look;
  if (files_->read(folder + "/status", kMostStatus, text) == 0) {
    process.owner = owner_of(text);
    process.inner_pid = inner_pid(text);
  }
  if (process.owner.empty()) {
    // A tree that is not a procfs has no such file: its owner is as good.
    std::uint32_t user = 0;
    look.kind = Look::Kind::gone;
    if (files_->owner(folder, user) != 0) return look;
    process.owner = {user};
  }
  process.own_mounts = !mounts.is_shared(*files_, folder);
  if (files_->read(folder + "/cmdline", kMostCommand, text) == 0) process.command = command_words(text);
  look.kind = same && known.process == process ? Look::Kind::unchanged : Look::Kind::changed;
  return look;
}

void ProcessTable::take(std::uint32_t pid, Look look) {
  const auto found = known_.find(pid);
  if (found == known_.end()) return;
  Known& known = found->second;
  ++known.looks;
  if (look.kind == Look::Kind::same) return look_again(pid, known);
  known.own_group = std::move(look.own_group);
  known.mark = look.mark;
  known.start_ticks = look.process.start_ticks;
  known.parent = look.process.parent;
  if (look.kind == Look::Kind::unwanted && !is_young(look.process.start_ticks)) known.looks = kLooks;
  if (look.kind != Look::Kind::gone) {
    refused_ += static_cast<std::uint32_t>(look.refused) - static_cast<std::uint32_t>(known.refused);
    known.refused = look.refused;
    known.asked = look.asked;
    if (look.kind != Look::Kind::unchanged) change(pid, known, std::move(look));
  }
  look_again(pid, known);
}

// It became work, is other work than before, or none any more.
void ProcessTable::change(std::uint32_t pid, Known& known, Look look) {
  const bool was = known.wanted;
  if (look.kind == Look::Kind::unwanted || (!was && wanted_.size() >= kMostWanted)) {
    if (was) known.looks = 1;  // it started another program
    wanted_.erase(pid);
    known.wanted = known.asked = false;
    known.process = {};
    return;
  }
  if (!was || known.process.start_ticks != look.process.start_ticks) {
    known.looks = 1;
    known.file_looks = 0;
    known.writes = {};
  }
  wanted_.insert(pid);
  known.wanted = true;
  known.process = look.process;
  changed_.push_back(std::move(look.process));
}

ProcessScan ProcessTable::result() {
  listed_ = false;
  ProcessScan scan;
  scan.present.assign(wanted_.begin(), wanted_.end());
  scan.refused = refused_;
  scan.changed = std::exchange(changed_, {});
  scan.writes = std::exchange(writes_, {});
  scan.cpu_ns = std::exchange(cpu_ns_, 0);
  if (const EnvironClient* const reader = files_->reader()) {
    scan.reader = reader->state();
    scan.reader_shut_off = reader->shut_off();
    scan.reader_lists_files = reader->lists_files();
  }
  return scan;
}

}  // namespace faultline
