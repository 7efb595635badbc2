// Lists MIG instances by index and compute processes by pid.
#include "vendor/instances.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace faultline {
namespace {

constexpr unsigned kMostInstances = 64;
constexpr unsigned kMostProcesses = 256;
constexpr std::size_t kLongestList = sizeof(NoticeRecord::text) - 1;

bool same(const MigInstance& a, const MigInstance& b) {
  return a.gpu_instance == b.gpu_instance && a.compute_instance == b.compute_instance &&
         std::strncmp(a.uuid, b.uuid, sizeof a.uuid) == 0;
}

bool holds(const std::vector<MigInstance>& list, const MigInstance& instance) {
  return std::ranges::any_of(list, [&](const MigInstance& each) { return same(each, instance); });
}

}  // namespace

Instances::State& Instances::state(std::size_t at) {
  if (at >= states_.size()) states_.resize(at + 1);
  return states_[at];
}

void Instances::mode(std::size_t at, Gpu& gpu) {
  unsigned current = 0, pending = 0;
  if (!asker_.ask(gpu, kReadMigMode, VendorCall::kMigMode, asker_.nvml.mig_mode, &current, &pending)) return;
  state(at).mode = current;
  asker_.put(gpu, Quantity::kMigMode, number_of(current));
}

void Instances::list(std::size_t at, Gpu& gpu) {
  State& known = state(at);
  known.listed_mode = known.mode;
  std::vector<MigInstance> found;
  unsigned count = 0;
  if (split(at)) {
    if (!asker_.ask(gpu, kReadMigCount, VendorCall::kMaxMigDeviceCount, asker_.nvml.max_mig_devices, &count)) return;
    for (unsigned index = 0; index < std::min(count, kMostInstances) && !gpu.lost && !asker_.dead(); ++index) {
      MigInstance next;
      if (instance(gpu, index, next)) found.push_back(next);
    }
    if (gpu.lost || asker_.dead()) return;
  }
  for (const MigInstance& each : known.instances) {
    if (!holds(found, each)) reporter_.instance(gpu.identity.index, each, false);
  }
  for (const MigInstance& each : found) {
    if (!holds(known.instances, each)) reporter_.instance(gpu.identity.index, each, true);
  }
  known.instances = std::move(found);
}

bool Instances::instance(Gpu& gpu, unsigned index, MigInstance& out) {
  const NvmlLibrary& nvml = asker_.nvml;
  nvml::Device handle = nullptr;
  // Not every index has an instance.
  const nvml::Return result = asker_.call_plain(gpu, VendorCall::kMigDeviceHandle, nvml.mig_device, gpu.handle, index, &handle);
  if (!asker_.judge(gpu, VendorCall::kMigDeviceHandle, result)) return false;
  const auto id = [&](VendorCall call, auto function, std::uint32_t& into) {
    unsigned number = 0;
    if (asker_.call_plain(gpu, call, function, handle, &number) != nvml::kSuccess || number >= kMaxInstances) return false;
    into = number;
    return true;
  };
  if (!id(VendorCall::kGpuInstanceId, nvml.gpu_instance_id, out.gpu_instance)) return false;
  if (!id(VendorCall::kComputeInstanceId, nvml.compute_instance_id, out.compute_instance)) return false;
  asker_.call_plain(gpu, VendorCall::kUuid, nvml.uuid, handle, &out.uuid[0], nvml::kUuidSize);
  asker_.call_plain(gpu, VendorCall::kName, nvml.name, handle, &out.name[0], nvml::kNameSize);
  return true;
}

void Instances::processes(std::size_t at, Gpu& gpu) {
  // The first drivers of branch 535 wrote 32 bytes for each: their pids are of no use then, and memory stays whole.
  std::vector<nvml::ProcessInfo> infos(kMostProcesses * 32 / sizeof(nvml::ProcessInfo) + 1);
  unsigned count = kMostProcesses;
  if (!asker_.ask(gpu, kReadProcesses, VendorCall::kComputeProcesses, asker_.nvml.compute_processes, &count, infos.data())) {
    return;
  }
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
  if (std::exchange(state(at).processes, text) != text) {
    reporter_.processes(gpu.identity.index, text, static_cast<unsigned>(infos.size()));
  }
}

std::string Instances::text(std::size_t at) const {
  if (at >= states_.size()) return "";
  if (!split(at)) return "off";
  const std::size_t count = states_[at].instances.size();
  return "on, " + std::to_string(count) + (count == 1 ? " instance" : " instances");
}

}  // namespace faultline
