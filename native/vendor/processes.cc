// Asks for the pids of a GPU's compute processes.
#include "vendor/processes.h"

#include <algorithm>
#include <cmath>

namespace faultline {
namespace {

constexpr std::size_t kMostProcesses = 256;
constexpr std::size_t kLongestList = sizeof(NoticeRecord::text) - 1;
// A context takes a few hundred MiB on every GPU of today; what an allocator gives back and takes again is mostly less.
constexpr double kContextBytes = 64.0 * 1024 * 1024;
constexpr std::uint64_t kQuietPasses = 6;     // a minute
constexpr std::uint64_t kFailedPasses = 3;
constexpr std::uint64_t kLongestPasses = 60;  // ten minutes: for a process that took the place of another of its size

}  // namespace

bool Processes::due(std::size_t at, const VendorDevice& device, std::uint64_t pass) const {
  const State& known = states_[at];
  if (known.read_pass == 0 || device.processes_due) return true;
  if (pass - known.read_pass >= (known.failed ? kFailedPasses : kLongestPasses)) return true;
  const bool moved = std::isnan(known.memory) != std::isnan(device.memory_used) ||
                     std::abs(device.memory_used - known.memory) >= kContextBytes;
  return moved && pass >= known.quiet_until;
}

void Processes::read(std::size_t at, VendorDevice& device, std::uint64_t pass) {
  State& known = states_[at];
  const bool by_memory = known.read_pass != 0 && !device.processes_due;
  device.processes_due = false;
  known.read_pass = pass;
  known.memory = device.memory_used;
  std::vector<ComputeProcess> found;
  known.failed = !backend_.processes(device, kMostProcesses, found);
  if (known.failed) return;
  std::ranges::sort(found);
  // A process on two compute instances of one part is one.
  const auto [first, last] = std::ranges::unique(found);
  found.erase(first, last);
  std::string text = "[";
  for (const ComputeProcess& each : found) {
    std::string pid = std::to_string(each.pid);
    if (each.instance) pid += ':' + std::to_string(*each.instance);
    if (text.size() + pid.size() + 2 > kLongestList) break;
    if (text.size() > 1) text += ',';
    text += pid;
  }
  text += "]";
  const bool changed = text != known.reported;
  known.quiet_until = changed || !by_memory ? 0 : pass + kQuietPasses;
  if (!changed) return;
  known.reported = text;
  reporter_.processes(device.identity.seat, text, static_cast<unsigned>(found.size()));
}

}  // namespace faultline
