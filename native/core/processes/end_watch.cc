// Ends of processes and of control groups, known when they come.
#include "core/processes/end_watch.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/clock.h"

namespace faultline {
namespace {

// Each takes a descriptor.
constexpr std::size_t kMostFollowed = 1024;
constexpr std::size_t kMostFollowedGroups = 256;
constexpr std::size_t kMostEnds = 4096;
// A job's ranks end together: what comes within this time is one wake.
constexpr std::int64_t kGatherNs = 30'000'000;
// However many end.
constexpr std::int64_t kBetweenWakesNs = 250'000'000;
constexpr std::uint64_t kStopToken = 0, kGroupsToken = 1, kFirstToken = 2;
constexpr std::size_t kMostEventsFile = 4096;

bool add_to(int epoll, int fd, std::uint64_t token) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = token;
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

// Of a cgroup.events. What cannot be read is gone.
bool is_populated(const std::string& path) {
  const ProcessFiles files;
  std::string text;
  return files.read(path, kMostEventsFile, text) == 0 && text.find("populated 0") == std::string::npos;
}

}  // namespace

EndWatch::EndWatch(std::string cgroups, std::function<void()> wake)
    : cgroups_(std::move(cgroups)), wake_(std::move(wake)), token_(kFirstToken) {}

std::shared_ptr<EndWatch> EndWatch::start(std::string cgroups, std::function<void()> wake) {
  auto watch = std::make_shared<EndWatch>(std::move(cgroups), std::move(wake));
  if (!watch->open() || !start_thread("fl-ends", [watch] { watch->run(); })) return nullptr;
  return watch;
}

bool EndWatch::open() {
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  // Without it (no more instances of this user) groups are not followed.
  inotify_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (inotify_) add_to(epoll_.get(), inotify_.get(), kGroupsToken);
  return epoll_ && stop_.fd() >= 0 && add_to(epoll_.get(), stop_.fd(), kStopToken);
}

void EndWatch::run() {
  constexpr int kAtOnce = 64;
  epoll_event events[kAtOnce];
  std::int64_t due_ns = 0;  // 0: nothing waits
  std::int64_t woke_ns = 0;
  while (!stop_.raised()) {
    const std::int64_t left_ns = std::max<std::int64_t>(due_ns - monotonic_now(), 0);
    const int count = ::epoll_wait(epoll_.get(), events, kAtOnce, due_ns == 0 ? -1 : static_cast<int>(left_ns / 1'000'000) + 1);
    if (count < 0 && errno != EINTR) return;
    const std::int64_t now_ns = monotonic_now();
    bool matters = false;
    {
      const std::lock_guard lock(mutex_);
      for (int each = 0; each < count; ++each) {
        if (events[each].data.u64 == kGroupsToken) read_groups(now_ns);
        else if (events[each].data.u64 >= kFirstToken) ended(events[each].data.u64, now_ns);
      }
      matters = std::exchange(matters_, false);
    }
    if (matters && due_ns == 0) due_ns = std::max(now_ns + kGatherNs, woke_ns + kBetweenWakesNs);
    if (due_ns == 0 || now_ns < due_ns) continue;
    due_ns = 0;
    woke_ns = now_ns;
    wake_();
  }
}

void EndWatch::ended(std::uint64_t token, std::int64_t now_ns) {
  const auto found = followed_.find(token);
  if (found == followed_.end()) return;
  ends_.processes.push_back({found->second.process, now_ns});
  matters_ = matters_ || found->second.matters;
  tokens_.erase(found->second.process.pid);
  followed_.erase(found);
  keep_within();
}

void EndWatch::read_groups(std::int64_t now_ns) {
  alignas(inotify_event) char buffer[4096];
  for (;;) {
    const ssize_t size = ::read(inotify_.get(), buffer, sizeof buffer);
    if (size <= 0) return;
    for (ssize_t at = 0; at < size;) {
      const auto* const event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof *event + event->len);
      const auto group = std::ranges::find(groups_, event->wd, [](const auto& one) { return one.second.watch; });
      if (group == groups_.end()) continue;
      const bool gone = (event->mask & (IN_DELETE_SELF | IN_IGNORED | IN_UNMOUNT)) != 0;
      if (gone || !is_populated(group->second.path)) group_ended(std::string(group->first), now_ns);
    }
  }
}

void EndWatch::group_ended(const std::string& group, std::int64_t now_ns) {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  ::inotify_rm_watch(inotify_.get(), found->second.watch);
  groups_.erase(found);
  empty_.insert(group);
  ends_.groups.push_back({group, now_ns});
  matters_ = true;
  keep_within();
}

void EndWatch::keep_within() {
  if (ends_.processes.size() > kMostEnds) ends_.processes.erase(ends_.processes.begin());
  if (ends_.groups.size() > kMostEnds) ends_.groups.erase(ends_.groups.begin());
}

void EndWatch::follow(const std::vector<FollowedProcess>& processes, const std::set<std::string>& groups) {
  const std::lock_guard lock(mutex_);
  const std::size_t count = std::min(processes.size(), kMostFollowed);
  std::unordered_map<std::uint32_t, std::uint64_t> kept;
  for (std::size_t each = 0; each < count; ++each) {
    const auto known = tokens_.find(processes[each].process.pid);
    if (known == tokens_.end()) continue;
    Followed& followed = followed_.at(known->second);
    if (followed.process.start_ticks != processes[each].process.start_ticks) continue;
    followed.matters = processes[each].matters;
    kept.insert(*known);
  }
  std::erase_if(followed_, [&](const auto& one) {
    const auto token = kept.find(one.second.process.pid);
    return token == kept.end() || token->second != one.first;
  });
  tokens_ = std::move(kept);
  const ProcessFiles files;
  std::string stat;
  for (std::size_t each = 0; each < count && by_descriptor_; ++each) {
    const auto& [process, matters] = processes[each];
    if (tokens_.contains(process.pid)) continue;
    Descriptor descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0)));
    if (!descriptor) {
      by_descriptor_ = errno != ENOSYS && errno != EPERM && errno != EACCES;
      if (errno == EMFILE || errno == ENFILE) break;
      continue;
    }
    // Another process has its number by now, or it is of another procfs.
    if (files.read("/proc/" + std::to_string(process.pid) + "/stat", kMostEventsFile, stat) != 0 || start_ticks(stat) != process.start_ticks)
      continue;
    const std::uint64_t token = token_++;
    if (!add_to(epoll_.get(), descriptor.get(), token)) break;
    tokens_.emplace(process.pid, token);
    followed_.emplace(token, Followed{process, matters, std::move(descriptor)});
  }
  for (auto group = groups_.begin(); group != groups_.end();) {
    if (groups.contains(group->first)) {
      ++group;
      continue;
    }
    ::inotify_rm_watch(inotify_.get(), group->second.watch);
    group = groups_.erase(group);
  }
  std::erase_if(empty_, [&](const std::string& one) { return !groups.contains(one); });
  for (const std::string& group : groups)
    if (inotify_ && groups_.size() < kMostFollowedGroups && !groups_.contains(group) && !empty_.contains(group)) follow_group(group);
}

void EndWatch::follow_group(const std::string& group) {
  // What is above our own root we cannot name.
  if (group.find("/..") != std::string::npos) return;
  for (const char* const hierarchy : {"", "/unified"}) {
    const std::string path = cgroups_ + hierarchy + group + "/cgroup.events";
    const int watch = ::inotify_add_watch(inotify_.get(), path.c_str(), IN_MODIFY | IN_DELETE_SELF);
    if (watch < 0) continue;
    groups_.emplace(group, Group{path, watch});
    return;
  }
}

Ends EndWatch::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ends_, {});
}

bool EndWatch::by_descriptor() const {
  const std::lock_guard lock(mutex_);
  return by_descriptor_;
}

}  // namespace faultline
