// Which processes of a host carry a variable in their environment, looked at off the JavaScript thread; one whose files
// hang is left behind, and the others are read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/processes/process_files.h"
#include "core/processes/written_files.h"
#include "core/steps.h"

namespace faultline {

struct ProcessTableOptions {
  std::string proc;  // root of procfs
  std::vector<std::string> variables;  // of an environment nothing else is kept
  std::size_t marker = 0;  // place in `variables`: a process where it is empty is not wanted
};

struct WantedProcess {
  std::uint32_t pid = 0;
  std::uint64_t start_ticks = 0;
  bool own_mounts = false;  // its paths are of another mount namespace than ours
  std::vector<std::uint32_t> owner;
  std::vector<std::optional<std::string>> values;  // by place in `variables`
  std::vector<std::string> command;
};

// The files that a wanted process writes.
struct Writes {
  std::uint32_t pid = 0;
  std::vector<WrittenFile> files;
};

struct ProcessScan {
  std::vector<std::uint32_t> present;  // wanted processes that are there
  std::vector<WantedProcess> changed;  // of these: new, started again, or of another environment than before
  std::vector<Writes> writes;  // of those that began to write others than before
  std::uint32_t refused = 0;  // processes whose environment may not be read
  std::vector<std::string> hanging;  // paths that do not answer
};

class ProcessTable : public std::enable_shared_from_this<ProcessTable> {
 public:
  explicit ProcessTable(ProcessTableOptions options, std::unique_ptr<ProcessFiles> files = std::make_unique<ProcessFiles>(),
                        std::int64_t limit_ns = 1'000'000'000);
  // Looks at what is new. `done` is called once, on another thread. False while a scan is under way.
  bool scan(std::function<void(ProcessScan)> done);

 private:
  struct Known {
    int looks = 0;  // at which it was not wanted
    bool refused = false;
    bool wanted = false;
    std::uint64_t start_ticks = 0;
    std::vector<std::optional<std::string>> values;
    std::uint32_t file_looks = 0;
    std::vector<WrittenFile> files;
  };
  struct Look {
    enum class Kind { gone, refused, unwanted, unchanged, changed } kind = Kind::gone;
    WantedProcess process;
  };

  std::optional<Steps::Step> next();
  std::optional<Steps::Step> next_files();
  Steps::Take list();
  Look look(std::uint32_t pid, const Known& known, const std::string& own_mounts) const;
  void take(std::uint32_t pid, Look look);
  ProcessScan result();

  const ProcessTableOptions options_;
  const std::unique_ptr<ProcessFiles> files_;
  const std::shared_ptr<Steps> steps_;
  // Under the lock of the steps.
  bool listed_ = false;
  std::size_t at_ = 0;
  std::size_t files_at_ = 0;
  std::uint32_t scans_ = 0;
  std::size_t wanted_ = 0;
  std::string own_mounts_;
  std::vector<std::uint32_t> pids_;
  std::vector<WantedProcess> changed_;
  std::vector<Writes> writes_;
  std::unordered_map<std::uint32_t, Known> known_;
};

}  // namespace faultline
