// The library's life, and its calibration, readings and events by the parts that know them.
#include "vendor/nvml/backend.h"

#include <algorithm>

#include "vendor/nvml/driver_files.h"
#include "vendor/nvml/events.h"
#include "vendor/nvml/reading_steps.h"

namespace faultline::nvml {

LoadResult NvmlBackend::load(const std::string& library, std::string& why) {
  return nvml::load(library, calls_, library_, why);
}

Answer NvmlBackend::start() { return answer_of(call(calls_, VendorCall::kInit, kNoDevice, library_.init)); }

void NvmlBackend::release() { call(calls_, VendorCall::kShutdown, kNoDevice, library_.shutdown); }

std::string_view NvmlBackend::state_of(Answer answer) const {
  if (answer.code == kDriverNotLoaded) return "absent";
  return answer.code == kLibRmVersionMismatch ? "mismatch" : "failed";
}

std::string NvmlBackend::start_failure(Answer answer) const {
  const std::string text = describe(answer);
  if (answer.code == kDriverNotLoaded) return "driver not loaded: " + text;
  if (answer.code == kLibRmVersionMismatch) {
    return "library and kernel module are of different versions, reboot or reload the driver: " + text;
  }
  return "nvmlInit_v2: " + text;
}

std::string NvmlBackend::driver_version() {
  char text[kDriverVersionSize]{};
  call(calls_, VendorCall::kDriverVersion, kNoDevice, library_.driver_version, &text[0], kDriverVersionSize);
  text[sizeof text - 1] = '\0';
  asker_.know_driver(text);
  return text;
}

// One batch of both fields.
bool NvmlBackend::look(VendorDevice& device, SensorLook& look) {
  FieldValue fields[2]{};
  fields[0].fieldId = kFieldEnergy;
  fields[1].fieldId = kFieldPower;
  const Return code = asker_.call_plain(gpu_of(device), VendorCall::kFieldValues, library_.field_values,
                                        gpu_of(device).handle, 2, &fields[0]);
  if (code != kSuccess) return false;
  bool any = false;
  for (int i = 0; i < 2; ++i) {
    if (fields[i].nvmlReturn != kSuccess) continue;
    any = true;
    (i == 0 ? look.energy : look.power) = field_number(fields[i]);
    look.reported_us = std::max<std::int64_t>(look.reported_us, fields[i].latencyUsec);
  }
  return any;
}

void NvmlBackend::read_fast(VendorDevice& device) { nvml::read_fast(asker_, gpu_of(device)); }

namespace {

using Step = bool (*)(Asker&, MonitoredGpu&, SlowPass);

// A step that is done at once.
template <auto Read>
bool whole(Asker& asker, MonitoredGpu& gpu, SlowPass) {
  Read(asker, gpu);
  return true;
}

void read_pcie(Asker& asker, Gpu& gpu) {
  asker.fields(gpu, Batch::kPcie);
  asker.values(gpu, Batch::kPcie);
}

void read_state(Asker& asker, Gpu& gpu) { asker.fields(gpu, Batch::kState); }

bool read_instances(Asker&, MonitoredGpu& gpu, SlowPass pass) {
  gpu.instances.mode(gpu);
  if (pass.seldom || gpu.instances.changed()) gpu.instances.list(gpu);
  return true;
}

bool read_links(Asker& asker, MonitoredGpu& gpu, SlowPass pass) { return gpu.links.step(asker, gpu, pass.seldom); }

void read_gpm(Asker&, MonitoredGpu& gpu) {
  // A split GPU's share of the whole says nothing about an instance.
  if (gpu.instances.split()) gpu.instances.read(gpu);
  else gpu.gpm.read();
}

constexpr Step kSteps[]{
    // Another mode changes what the rest answers.
    read_instances,     whole<read_heat_and_power>, whole<read_memory>, whole<read_pcie>, whole<read_state>,
    whole<read_margins>, whole<read_fabric>,         read_links,         whole<read_gpm>,
};

}  // namespace

std::size_t NvmlBackend::slow_steps() const { return std::size(kSteps); }

bool NvmlBackend::read_slow(VendorDevice& device, std::size_t step, SlowPass pass) {
  return kSteps[step](asker_, gpu_of(device), pass);
}

void NvmlBackend::list_parts(VendorDevice& device) {
  MonitoredGpu& gpu = gpu_of(device);
  gpu.instances.mode(gpu);
  gpu.instances.list(gpu);
}

bool NvmlBackend::processes(VendorDevice& device, std::size_t most, std::vector<ComputeProcess>& found) {
  MonitoredGpu& gpu = gpu_of(device);
  // nvml.h: of a split device the whole list is for privileged callers only, that of an instance is for all.
  if (gpu.instances.lists_processes()) return gpu.instances.processes(gpu, most, found);
  // The first drivers of branch 535 wrote 32 bytes for each: their pids are of no use then, and memory stays whole.
  std::vector<ProcessInfo> infos(most * 32 / sizeof(ProcessInfo) + 1);
  auto count = static_cast<unsigned>(most);
  if (!asker_.ask(gpu, kReadProcesses, VendorCall::kComputeProcesses, library_.compute_processes, &count, infos.data())) {
    return false;
  }
  infos.resize(std::min<std::size_t>(count, most));
  for (const ProcessInfo& info : infos) found.push_back({info.pid, {}});
  return true;
}

std::unique_ptr<DeviceEventStream> NvmlBackend::device_events(CallContext& calls, const VendorDevices& devices) {
  return std::make_unique<DeviceStream>(library_, calls, devices);
}

std::unique_ptr<DeviceChangeStream> NvmlBackend::device_changes(CallContext& calls, const VendorDevices& devices) {
  if (!ChangeStream::possible(library_)) return nullptr;
  return std::make_unique<ChangeStream>(library_, calls, devices);
}

extern const BackendKind kBackend;
const BackendKind kBackend{
    "nvml",
    [](std::string_view file_name) { return file_name.starts_with("libnvidia-ml"); },
    driver_files,
    [](const BackendParts& parts) -> std::unique_ptr<Backend> { return std::make_unique<NvmlBackend>(parts); },
};

}  // namespace faultline::nvml
