// Asks for the pids of a GPU's compute processes.
#include "vendor/processes.h"

#include <algorithm>
#include <cmath>

namespace faultline {
namespace {

constexpr unsigned kMostProcesses = 256;
constexpr std::size_t kLongestList = sizeof(NoticeRecord::text) - 1;
// A context takes a few hundred MiB on every GPU of today; what an allocator gives back and takes again is mostly less.
constexpr double kContextBytes = 64.0 * 1024 * 1024;
constexpr std::uint64_t kQuietPasses = 6;     // a minute
constexpr std::uint64_t kFailedPasses = 3;
constexpr std::uint64_t kLongestPasses = 60;  // ten minutes: for a process that took the place of another of its size

}  // namespace

bool Processes::due(std::size_t at, const Gpu& gpu, std::uint64_t pass) const {
  if (at >= states_.size() || states_[at].read_pass == 0 || gpu.processes_due) return true;
  const State& known = states_[at];
  if (pass - known.read_pass >= (known.failed ? kFailedPasses : kLongestPasses)) return true;
  const bool moved = std::isnan(known.memory) != std::isnan(gpu.memory_used) ||
                     std::abs(gpu.memory_used - known.memory) >= kContextBytes;
  return moved && pass >= known.quiet_until;
}

void Processes::read(std::size_t at, Gpu& gpu, std::uint64_t pass) {
  if (at >= states_.size()) states_.resize(at + 1);
  State& known = states_[at];
  const bool by_memory = known.read_pass != 0 && !gpu.processes_due;
  gpu.processes_due = false;
  // The first drivers of branch 535 wrote 32 bytes for each: their pids are of no use then, and memory stays whole.
  std::vector<nvml::ProcessInfo> infos(kMostProcesses * 32 / sizeof(nvml::ProcessInfo) + 1);
  unsigned count = kMostProcesses;
  known.read_pass = pass;
  known.memory = gpu.memory_used;
  known.failed = !asker_.ask(gpu, kReadProcesses, VendorCall::kComputeProcesses, asker_.nvml.compute_processes, &count, infos.data());
  if (known.failed) return;
  infos.resize(std::min(count, kMostProcesses));
  std::ranges::sort(infos, {}, &nvml::ProcessInfo::pid);
  // A process on two instances is one.
  const auto [first, last] = std::ranges::unique(infos, {}, &nvml::ProcessInfo::pid);
  infos.erase(first, last);
  std::string text = "[";
  for (const nvml::ProcessInfo& info : infos) {
    const std::string pid = std::to_string(info.pid);
    if (text.size() + pid.size() + 2 > kLongestList) break;
    if (text.size() > 1) text += ',';
    text += pid;
  }
  text += "]";
  const bool changed = text != known.told;
  known.quiet_until = changed || !by_memory ? 0 : pass + kQuietPasses;
  if (!changed) return;
  known.told = text;
  reporter_.processes(gpu.identity.seat, text, static_cast<unsigned>(infos.size()));
}

}  // namespace faultline
