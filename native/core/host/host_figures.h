// Reads what procfs says of a host as a whole, off the JavaScript thread: a file that hangs is left behind, the others are
// read.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/host/host_text.h"
#include "core/host/physical_devices.h"
#include "core/processes/process_files.h"
#include "core/steps.h"

namespace faultline {

struct HostRoots {
  std::string proc;
  std::string sys;
};

struct HostRound {
  CpuTicks cpu{kNoNumber, kNoNumber, kNoNumber, kNoNumber, kNoNumber, kNoNumber, kNoNumber, kNoNumber};
  double tasks_blocked = kNoNumber;
  double boot_time_s = kNoNumber;
  double load = kNoNumber;
  std::array<double, 5> memory_kib{kNoNumber, kNoNumber, kNoNumber, kNoNumber, kNoNumber};  // total available shared swap free swap
  std::array<std::array<double, 2>, 3> pressure_us{{{kNoNumber, kNoNumber}, {kNoNumber, kNoNumber}, {kNoNumber, kNoNumber}}};  // cpu memory io
  bool has_disks = false;
  std::vector<DiskCounters> disks;
  bool has_interfaces = false;
  std::vector<InterfaceCounters> interfaces;
  std::vector<std::string> interface_devices;  // folder of each one's device
  std::string boot_id;
  std::vector<std::pair<std::string, int>> failures;  // path below procfs → errno
  std::vector<std::string> hanging;
};

class HostFigures : public std::enable_shared_from_this<HostFigures> {
 public:
  explicit HostFigures(HostRoots roots, std::unique_ptr<ProcessFiles> files = std::make_unique<ProcessFiles>(),
                       std::int64_t limit_ns = 1'000'000'000);
  // Reads everything once. `done` is called once, on another thread. False while a round is under way.
  bool read(std::function<void(HostRound)> done);

 private:
  using Apply = std::function<void(HostRound& round)>;
  using Parse = std::function<Apply(std::string_view text)>;
  struct File {
    std::vector<std::string> paths;  // below procfs: the first that has text counts
    Parse parse;                     // not under the lock, and never twice at a time
  };

  std::optional<Steps::Step> next();
  Steps::Take take(const File& file, const std::shared_ptr<HostRound>& round) const;
  void plan();

  const HostRoots roots_;
  const std::unique_ptr<ProcessFiles> files_;
  const std::shared_ptr<Steps> steps_;
  std::vector<File> plan_;
  // Under the lock of the steps.
  std::size_t at_ = 0;
  std::shared_ptr<HostRound> round_;
};

}  // namespace faultline
