// NVML's events of devices, and of the driver taking and leaving devices (from CUDA 12.8 on).
#pragma once

#include <string_view>
#include <vector>

#include "vendor/nvml/gpu.h"

namespace faultline::nvml {

class DeviceStream final : public DeviceEventStream {
 public:
  DeviceStream(const Library& nvml, CallContext& calls, const VendorDevices& devices);
  Answer open() override;
  std::size_t devices() const override { return watched_.size(); }
  Answer watch(std::size_t device) override;
  Answer wait(DriverEvent& event) override;
  void close() override;

 private:
  struct Watched {
    Device handle;
    std::uint32_t seat;
  };

  const Library& nvml_;
  CallContext& calls_;
  std::vector<Watched> watched_;
  EventSet set_ = nullptr;
};

class ChangeStream final : public DeviceChangeStream {
 public:
  // Whether the library has the calls.
  static bool possible(const Library& nvml);
  ChangeStream(const Library& nvml, CallContext& calls, const VendorDevices& devices);
  Answer open() override;
  Answer wait(std::vector<DeviceChange>& changes) override;
  void close() override;

 private:
  struct Known {
    std::uint32_t seat;
    std::uint32_t id;
  };

  const Library& nvml_;
  CallContext& calls_;
  std::vector<Known> known_;
  SystemEventSetHandle set_ = nullptr;
};

// The driver's 32-bit id of a device at `pci` ("0000:1b:00.0"): domain << 16 | bus << 8 | device. 0 when it is not an address.
std::uint32_t driver_gpu_id(std::string_view pci);

}  // namespace faultline::nvml
