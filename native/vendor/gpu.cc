// Lists GPUs with the identity that events name them by.
#include "vendor/gpu.h"

#include <charconv>
#include <cstdio>
#include <cstring>

namespace faultline {
namespace {

constexpr unsigned kHighestPlace = 65535;  // of slots, NUMA nodes, architectures; all ones means unknown

}  // namespace

void rest_after_timeout(Gpu& gpu, Reporter& reporter) {
  gpu.timed_out = true;
  if (!gpu.rest.timed_out(monotonic_now())) return;
  reporter.event(gpu.identity.index, "reads_paused", static_cast<double>(gpu.rest.pause_ns()) * 1e-9,
                 "the driver timed out; seconds without reads");
}

CodeClass classify(nvml::Return code) {
  switch (code) {
    case nvml::kSuccess:
      return CodeClass::kOk;
    case nvml::kNotSupported:
    case nvml::kFunctionNotFound:
    case nvml::kDeprecated:
    case nvml::kInvalidArgument:          // also the answer to a field id that the driver is too old for
    case nvml::kArgumentVersionMismatch:
      return CodeClass::kUnsupported;
    case nvml::kGpuIsLost:
    case nvml::kResetRequired:
    case nvml::kGpuNotFound:
      return CodeClass::kDeviceDead;
    case nvml::kUninitialized:
    case nvml::kDriverNotLoaded:
    case nvml::kLibRmVersionMismatch:
      return CodeClass::kLibraryDead;
    case nvml::kUnknown:
      return CodeClass::kUnknown;
    default:
      return CodeClass::kTransient;
  }
}

ExcludedDevices::ExcludedDevices(std::string_view list) {
  while (!list.empty() && list != "-") {
    const std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(item.size() < list.size() ? item.size() + 1 : list.size());
    const std::size_t at = item.find('@');
    if (at == std::string_view::npos) continue;
    std::uint32_t index = kNoDevice;
    std::from_chars(item.data() + at + 1, item.data() + item.size(), index);
    items_.emplace_back(item.substr(0, at), index);
  }
}

bool ExcludedDevices::index(std::uint32_t index) const {
  for (const auto& item : items_) {
    if (item.second == index) return true;
  }
  return false;
}

bool ExcludedDevices::pci(std::string_view address) const {
  for (const auto& item : items_) {
    if (!item.first.empty() && item.first == address) return true;
  }
  return false;
}

std::string canonical_pci(const nvml::PciInfo& info) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", info.domain, info.bus & 0xff, info.device & 0x1f);
  return text;
}

Inventory take_inventory(const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter, const ExcludedDevices& excluded,
                         const std::string& driver) {
  Inventory inventory;
  unsigned count = 0;
  const nvml::Return counted = calls.call(VendorCall::kCount, kNoDevice, nvml.count, &count);
  if (counted != nvml::kSuccess) {
    inventory.worst = counted;
    inventory.library_dead = classify(counted) == CodeClass::kLibraryDead;
    return inventory;
  }
  inventory.seen = count;
  for (std::uint32_t index = 0; index < count && index < kMaxDevices; ++index) {
    if (excluded.index(index)) continue;
    Gpu gpu;
    gpu.identity.index = index;
    VendorCall call = VendorCall::kHandleByIndex;
    nvml::Return result = calls.call(call, index, nvml.handle_by_index, index, &gpu.handle);
    nvml::PciInfo pci{};
    if (result == nvml::kSuccess) {
      call = VendorCall::kPciInfo;
      result = calls.call(call, index, nvml.pci_info, gpu.handle, &pci);
    }
    if (result != nvml::kSuccess) {
      inventory.worst = result;
      inventory.library_dead = classify(result) == CodeClass::kLibraryDead;
      if (inventory.library_dead) return inventory;
      reporter.device_lost(index, vendor_call_name(call), result);
      continue;
    }
    const std::string address = canonical_pci(pci);
    if (excluded.pci(address)) continue;
    put_text(gpu.identity.pci, address);
    // What follows is decoration: a device without a serial is still a device.
    calls.call(VendorCall::kUuid, index, nvml.uuid, gpu.handle, &gpu.identity.uuid[0], nvml::kUuidSize);
    calls.call(VendorCall::kName, index, nvml.name, gpu.handle, &gpu.identity.name[0], nvml::kNameSize);
    calls.call(VendorCall::kSerial, index, nvml.serial, gpu.handle, &gpu.identity.serial[0], nvml::kSerialSize);
    unsigned minor = 0;
    if (calls.call(VendorCall::kMinorNumber, index, nvml.minor_number, gpu.handle, &minor) == nvml::kSuccess) {
      gpu.identity.minor = static_cast<std::int32_t>(minor);
    }
    const auto place = [&](VendorCall which, auto function, std::int32_t& out) {
      unsigned number = 0;
      const bool known = calls.call(which, index, function, gpu.handle, &number) == nvml::kSuccess;
      if (known && number <= kHighestPlace) out = static_cast<std::int32_t>(number);
    };
    place(VendorCall::kModuleId, nvml.module_id, gpu.identity.module);
    place(VendorCall::kNumaNode, nvml.numa_node, gpu.identity.numa_node);
    place(VendorCall::kArchitecture, nvml.architecture, gpu.identity.architecture);
    reporter.device(gpu.identity, driver);
    inventory.gpus.push_back(gpu);
  }
  return inventory;
}

}  // namespace faultline
