// Ends of processes and of control groups, known when they come and not at the next look: by pidfds, and by the kernel's word that a
// group has no process any more. One thread, which sleeps until one of them ends.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/files/descriptor.h"
#include "core/processes/process_files.h"
#include "core/thread.h"

namespace faultline {

struct ProcessEnd {
  ProcessKey process;
  std::int64_t at_ns = 0;  // CLOCK_MONOTONIC
};

struct GroupEnd {
  std::string group;  // as it was given
  std::int64_t at_ns = 0;
};

struct Ends {
  std::vector<ProcessEnd> processes;
  std::vector<GroupEnd> groups;
};

struct FollowedProcess {
  ProcessKey process;
  bool matters = false;  // its end wakes; of others only the time is kept
};

class EndWatch : public std::enable_shared_from_this<EndWatch> {
 public:
  // `wake` is called on its thread, some times a second at most, when an end that matters is to be taken. `cgroups`: where control
  // groups are mounted. Null where the system refuses a thread or a descriptor.
  static std::shared_ptr<EndWatch> start(std::string cgroups, std::function<void()> wake);
  EndWatch(std::string cgroups, std::function<void()> wake);

  // From now on these; of more than it has place for the first ones. What ended before is left out.
  void follow(const std::vector<FollowedProcess>& processes, const std::set<std::string>& groups);
  Ends take();
  void stop() { stop_.raise(); }
  // The kernel has pidfds for them, as far as is known.
  bool by_descriptor() const;

 private:
  struct Followed {
    ProcessKey process;
    bool matters = false;
    Descriptor descriptor;
  };
  struct Group {
    std::string path;  // of its cgroup.events
    int watch = -1;
  };

  bool open();
  void run();
  void ended(std::uint64_t token, std::int64_t now_ns);
  void read_groups(std::int64_t now_ns);
  void follow_group(const std::string& group);
  void group_ended(const std::string& group, std::int64_t now_ns);
  void keep_within();

  const std::string cgroups_;
  const std::function<void()> wake_;
  StopSignal stop_;
  Descriptor epoll_;
  Descriptor inotify_;
  mutable std::mutex mutex_;  // of what follows
  std::uint64_t token_;
  std::unordered_map<std::uint64_t, Followed> followed_;  // by token
  std::unordered_map<std::uint32_t, std::uint64_t> tokens_;  // by pid
  std::map<std::string, Group> groups_;
  std::set<std::string> empty_;  // of those that are given: found without a process
  Ends ends_;
  bool matters_ = false;  // something that ended does
  bool by_descriptor_ = true;
};

}  // namespace faultline
