// Which processes of a host may be work, by their environment, their control groups or the devices that they hold; looked at off
// the JavaScript thread. One whose files hang is left behind, and the others are read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/processes/end_watch.h"
#include "core/processes/environ_client.h"
#include "core/processes/mount_view.h"
#include "core/processes/process_files.h"
#include "core/processes/process_listing.h"
#include "core/processes/written_files.h"
#include "core/steps.h"

namespace faultline {

struct ProcessTableOptions {
  std::string proc;  // root of procfs
  std::vector<std::string> variables;  // of an environment nothing else is kept
  std::vector<std::size_t> markers;  // places in `variables`: a process that has one of them is wanted
  std::vector<std::size_t> ranks;  // of a process that has one of these it is asked what it writes and which libraries it has
  std::vector<std::size_t> paths;  // these may have any characters, the others only plain ones
  std::vector<std::string> groups;  // texts: a process whose control groups have one of them is wanted
  std::vector<std::string> libraries;  // parts of the paths of libraries that tell a framework
  std::vector<std::string> devices;  // what the paths of device files begin with that are reported of those
};

struct WantedProcess {
  std::uint32_t pid = 0;
  std::uint64_t start_ticks = 0;
  std::uint32_t parent = 0;
  std::uint32_t inner_pid = 0;  // in its own namespace; 0 where procfs does not say
  bool own_mounts = false;  // its paths are not ours
  bool readable = false;  // its environment may be read
  std::vector<std::uint32_t> owner;
  std::vector<std::optional<std::string>> values;  // by place in `variables`
  std::vector<std::string> command;
  std::string group;  // text of its control groups
  bool operator==(const WantedProcess&) const = default;
};

// What a rank, or the holder of a device, writes, which of the libraries it has mapped, and which of the devices open.
struct Writes {
  std::uint32_t pid = 0;
  std::vector<WrittenFile> files;
  std::vector<std::string> libraries;
  std::vector<std::string> devices;
};

struct ProcessScan {
  std::vector<std::uint32_t> present;  // wanted processes that are there
  std::vector<WantedProcess> changed;  // of these: new, started again, or of another environment than before
  std::vector<Writes> writes;  // of those that began to write others than before
  std::uint32_t refused = 0;  // processes whose environment may not be read
  std::vector<std::string> hanging;  // paths that do not answer
  std::uint64_t cpu_ns = 0;  // what the scan took of processors
  std::optional<ReaderState> reader;  // of the one that is asked for what may not be read here; nothing where none is
  bool reader_shut_off = false;
  bool reader_lists_files = false;
};

class ProcessTable : public std::enable_shared_from_this<ProcessTable> {
 public:
  explicit ProcessTable(ProcessTableOptions options, std::unique_ptr<ProcessFiles> files = std::make_unique<ProcessFiles>(),
                        std::int64_t limit_ns = 1'000'000'000);
  // Looks at what is new. `holders`: pids that are wanted whatever they are. `done` is called once, on another thread. False
  // while a scan is under way.
  bool scan(std::vector<std::uint32_t> holders, std::function<void(ProcessScan)> done);
  // From now on ends are known when they come: `wake` is called as EndWatch does, for `ends` to be taken. False where the system
  // does not have it.
  bool watch_ends(std::string cgroups, std::function<void()> wake);
  Ends ends();
  void stop_watching();
  // A descriptor of the log that a process prints into, or -errno. From any thread; may hang.
  int lend_log(const ProcessKey& process, std::uint64_t inode) const;

 private:
  struct Known {
    std::uint64_t inode = 0;  // of its folder: another one is another process; 0 until it was listed
    std::uint32_t looks = 0;
    std::uint64_t start_ticks = 0;
    std::uint32_t parent = 0;
    std::uint64_t mark = 0;  // of its program
    bool refused = false;
    bool wanted = false;
    bool asked = false;  // it is a rank or holds a device
    std::string own_group;
    WantedProcess process;
    std::uint32_t file_looks = 0;
    Writes writes;
  };
  struct Look {
    // `same`: it runs the program that it ran, and nothing else was asked.
    enum class Kind { gone, unwanted, unchanged, changed, same } kind = Kind::gone;
    std::uint64_t mark = 0;
    bool refused = false;
    bool asked = false;
    std::string own_group;
    WantedProcess process;
  };

  std::optional<Steps::Step> next();
  Steps::Take list(const ProcessListing::Plan& plan, const MountView& before);
  void listed(const ProcessListing::Found& found);
  void look_again_at_closed();
  void forget(std::uint32_t pid);
  void look_again(std::uint32_t pid, const Known& known);
  bool is_same(const Known& known, const std::string& folder, std::string_view stat) const;
  Look look(std::uint32_t pid, const Known& known, bool holds, const MountView& mounts) const;
  void take(std::uint32_t pid, Look look);
  void change(std::uint32_t pid, Known& known, Look look);
  ProcessScan result();
  void follow_ends();

  const ProcessTableOptions options_;
  const std::unique_ptr<ProcessFiles> files_;
  const std::shared_ptr<Steps> steps_;
  std::mutex ends_mutex_;
  std::shared_ptr<EndWatch> ends_;  // under its own lock
  // Under the lock of the steps.
  bool listed_ = false;
  std::size_t at_ = 0;
  std::size_t files_at_ = 0;
  std::uint32_t scans_ = 0;
  ProcessListing listing_;
  std::set<std::uint32_t> wanted_;
  std::set<std::uint32_t> young_;  // looked at in each scan
  std::uint32_t refused_ = 0;
  std::uint64_t cpu_ns_ = 0;
  MountView mounts_;
  std::unordered_set<std::uint32_t> holders_;
  std::vector<std::uint32_t> due_;  // of this scan, rising
  std::vector<std::uint32_t> asked_;  // of this scan: those of whom open files are asked
  std::shared_ptr<const std::vector<Fellow>> fellows_;
  std::vector<WantedProcess> changed_;
  std::vector<Writes> writes_;
  std::unordered_map<std::uint32_t, Known> known_;
};

}  // namespace faultline
