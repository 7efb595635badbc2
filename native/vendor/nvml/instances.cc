// Lists MIG instances by index and reads what each of them tells.
#include "vendor/nvml/instances.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace faultline::nvml {
namespace {

constexpr unsigned kMostInstances = 64;
constexpr Return kGone[]{kInvalidArgument, kNotFound};

constexpr std::uint32_t kNoInstanceYet = kNoInstance;

bool same(const MigInstance& a, const MigInstance& b) {
  return a.gpu_instance == b.gpu_instance && a.compute_instance == b.compute_instance &&
         std::strncmp(a.uuid, b.uuid, sizeof a.uuid) == 0;
}

template <class List>
bool holds(const List& list, const MigInstance& instance) {
  return std::ranges::any_of(list, [&](const MigInstance& each) { return same(each, instance); });
}

}  // namespace

void Instances::mode(Gpu& gpu) {
  unsigned current = 0, pending = 0;
  if (!asker_.ask(gpu, kReadMigMode, VendorCall::kMigMode, asker_.nvml.mig_mode, &current, &pending)) return;
  if (mode_ && *mode_ != current) {
    // Whatever it did not support it may support now, and the other way round.
    gpu.codes = Gpu::not_asked();
    gpu.codes[kReadMigMode] = kSuccess;
    gpu.processes_due = true;
  }
  mode_ = current;
  asker_.answers.put(gpu, Quantity::kMigMode, number_of(current));
}

void Instances::list(Gpu& gpu) {
  listed_mode_ = mode_;
  stale_ = false;
  std::vector<Instance> found;
  unsigned count = 0;
  if (split()) {
    if (!asker_.ask(gpu, kReadMigCount, VendorCall::kMaxMigDeviceCount, asker_.nvml.max_mig_devices, &count)) return;
    for (unsigned index = 0; index < std::min(count, kMostInstances) && !gpu.lost && !asker_.answers.dead(); ++index) {
      Instance next;
      if (open(gpu, index, next)) found.push_back(next);
    }
    if (gpu.lost || asker_.answers.dead()) return;
  }
  std::ranges::sort(found, {}, [](const Instance& each) { return std::pair(each.gpu_instance, each.compute_instance); });
  for (const Instance& each : instances_) {
    if (holds(found, each)) continue;
    asker_.reporter.instance(gpu.identity.seat, each, false);
    gpu.processes_due = true;
  }
  for (const Instance& each : found) {
    if (holds(instances_, each)) continue;
    asker_.reporter.instance(gpu.identity.seat, each, true);
    gpu.processes_due = true;
  }
  instances_ = std::move(found);
  std::erase_if(monitors_, [&](const auto& monitor) {
    return std::ranges::none_of(instances_, [&](const Instance& each) { return each.gpu_instance == monitor.first; });
  });
}

void Instances::read(Gpu& gpu) {
  std::uint32_t before = kNoInstanceYet;
  for (const Instance& each : instances_) {
    // Compute instances of one GPU instance share its memory and its counters.
    if (gpu.lost || asker_.answers.dead() || each.gpu_instance == before) continue;
    before = each.gpu_instance;
    errors(gpu, each);
    monitors_.try_emplace(each.gpu_instance, asker_, gpu, each.gpu_instance).first->second.read();
  }
}

// nvml.h: of an instance only the errors since the driver was loaded that were not corrected, and not those of DRAM.
void Instances::errors(Gpu& gpu, const Instance& of) {
  if (!asker_.wanted(gpu, kReadInstanceEcc)) return;
  unsigned long long count = 0;
  constexpr VendorCall kCall = VendorCall::kMemoryErrorCounter;
  const Return result = asker_.call_plain(gpu, kCall, asker_.nvml.memory_error_counter, of.handle,
                                                kErrorUncorrected, kCounterVolatile, kPlaceSram, &count);
  if (std::ranges::find(kGone, result) != std::end(kGone)) {
    stale_ = true;
    return;
  }
  if (!asker_.accept(gpu, kReadInstanceEcc, kCall, result)) return;
  asker_.answers.put(gpu, Quantity::kEccSramUncorrected, number_of(count), kFirstInstance + of.gpu_instance);
}

bool Instances::processes(Gpu& gpu, std::size_t most, std::vector<ComputeProcess>& found) {
  constexpr VendorCall kCall = VendorCall::kComputeProcesses;
  // As for a whole device: some drivers write 32 bytes for each.
  std::vector<ProcessInfo> infos(most * 32 / sizeof(ProcessInfo) + 1);
  for (const Instance& each : instances_) {
    if (!asker_.wanted(gpu, kReadProcesses)) return false;
    auto count = static_cast<unsigned>(most);
    const Return result = asker_.call_plain(gpu, kCall, asker_.nvml.compute_processes, each.handle, &count, infos.data());
    if (std::ranges::find(kGone, result) != std::end(kGone)) {
      stale_ = true;
      return false;
    }
    if (!asker_.accept(gpu, kReadProcesses, kCall, result)) return false;
    for (std::size_t at = 0; at < std::min<std::size_t>(count, most) && found.size() < most; ++at) {
      found.push_back({infos[at].pid, each.gpu_instance});
    }
  }
  return true;
}

bool Instances::open(Gpu& gpu, unsigned index, Instance& out) {
  const Library& nvml = asker_.nvml;
  Device& handle = out.handle;
  // Not every index has an instance.
  const Return result = asker_.call_plain(gpu, VendorCall::kMigDeviceHandle, nvml.mig_device, gpu.handle, index, &handle);
  if (!asker_.judge(gpu, VendorCall::kMigDeviceHandle, result)) return false;
  const auto id = [&](VendorCall call, auto function, std::uint32_t& into) {
    unsigned number = 0;
    if (asker_.call_plain(gpu, call, function, handle, &number) != kSuccess || number >= kMaxInstances) return false;
    into = number;
    return true;
  };
  if (!id(VendorCall::kGpuInstanceId, nvml.gpu_instance_id, out.gpu_instance)) return false;
  if (!id(VendorCall::kComputeInstanceId, nvml.compute_instance_id, out.compute_instance)) return false;
  asker_.call_plain(gpu, VendorCall::kUuid, nvml.uuid, handle, &out.uuid[0], kUuidSize);
  asker_.call_plain(gpu, VendorCall::kName, nvml.name, handle, &out.name[0], kNameSize);
  return true;
}

std::string Instances::text() const {
  if (!split()) return "off";
  const std::size_t count = instances_.size();
  return "on, " + std::to_string(count) + (count == 1 ? " instance" : " instances");
}

}  // namespace faultline::nvml
