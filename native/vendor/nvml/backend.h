// NVML as one of the vendors.
#pragma once

#include "vendor/nvml/gpm.h"
#include "vendor/nvml/instances.h"
#include "vendor/nvml/links.h"

namespace faultline::nvml {

// A GPU with what is kept of it from one pass to the next.
struct MonitoredGpu final : Gpu {
  explicit MonitoredGpu(Asker& asker) : gpm(asker, *this), instances(asker) {}

  Links links;
  Gpm gpm;
  Instances instances;
};

class NvmlBackend final : public Backend {
 public:
  explicit NvmlBackend(const BackendParts& parts) : calls_(parts.calls), asker_(parts, library_) {}

  LoadResult load(const std::string& library, std::string& why) override;
  Answer start() override;
  std::string_view state_of(Answer answer) const override;
  std::string start_failure(Answer answer) const override;
  std::string describe(Answer answer) const override { return library_.describe(answer.code); }
  std::string driver_version() override;
  void release() override;

  Answer count(unsigned& devices) override;
  bool opens_by_address() const override { return library_.handle_by_pci != nullptr && library_.index != nullptr; }
  Opening open_by_address(std::uint32_t seat, const std::string& pci) override;
  Opening open_by_index(std::uint32_t index) override;
  void identify(VendorDevice& device) override;

  bool has_sensors() const override { return library_.field_values != nullptr; }
  bool look(VendorDevice& device, SensorLook& look) override;
  void read_fast(VendorDevice& device) override;
  std::size_t slow_steps() const override;
  bool read_slow(VendorDevice& device, std::size_t step, SlowPass pass) override;
  void list_parts(VendorDevice& device) override;
  bool processes(VendorDevice& device, std::size_t most, std::vector<ComputeProcess>& found) override;
  std::string capability(const VendorDevice& device, Capability group) const override;

  std::unique_ptr<DeviceEventStream> device_events(CallContext& calls, const VendorDevices& devices) override;
  std::unique_ptr<DeviceChangeStream> device_changes(CallContext& calls, const VendorDevices& devices) override;

  Library& library() { return library_; }

 private:
  static MonitoredGpu& gpu_of(VendorDevice& device) { return static_cast<MonitoredGpu&>(device); }
  std::unique_ptr<MonitoredGpu> new_gpu() { return std::make_unique<MonitoredGpu>(asker_); }

  Library library_;
  CallContext& calls_;
  Asker asker_;
};

// "00000000:1B:00.0" as "0000:1b:00.0": lower case, domain of four digits where it fits.
std::string canonical_pci(const PciInfo& info);

}  // namespace faultline::nvml
