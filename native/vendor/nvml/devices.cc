// Which devices NVML counts, and what it says that they are.
#include <cstdio>

#include "vendor/nvml/backend.h"

namespace faultline::nvml {
namespace {

constexpr unsigned kHighestPlace = 65535;  // of slots, NUMA nodes, architectures; all ones means unknown

}  // namespace

std::string canonical_pci(const PciInfo& info) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", info.domain, info.bus & 0xff, info.device & 0x1f);
  return text;
}

Answer NvmlBackend::count(unsigned& devices) {
  return answer_of(call(calls_, VendorCall::kCount, kNoDevice, library_.count, &devices));
}

Opening NvmlBackend::open_by_address(std::uint32_t seat, const std::string& pci) {
  auto gpu = new_gpu();
  Opening opening{.opened = nullptr, .pci = pci, .call = VendorCall::kHandleByPci, .answer = {}};
  const Return result = call(calls_, VendorCall::kHandleByPci, seat, library_.handle_by_pci, pci.c_str(), &gpu->handle);
  opening.answer = answer_of(result);
  // The driver has let go of it, or it was taken out.
  if (result == kNotFound || result == kGpuNotFound) opening.answer.outcome = Outcome::kNotThere;
  if (result != kSuccess) return opening;
  if (call(calls_, VendorCall::kIndex, seat, library_.index, gpu->handle, &opening.index) != kSuccess) {
    opening.answer.outcome = Outcome::kNotThere;
    return opening;
  }
  opening.opened = std::move(gpu);
  return opening;
}

Opening NvmlBackend::open_by_index(std::uint32_t index) {
  auto gpu = new_gpu();
  Opening opening{.opened = nullptr, .pci = {}, .index = index, .call = VendorCall::kHandleByIndex, .answer = {}};
  const std::uint32_t place = kFirstIndex + index;
  opening.answer = answer_of(call(calls_, opening.call, place, library_.handle_by_index, index, &gpu->handle));
  if (!opening.answer.ok()) return opening;
  PciInfo pci{};
  opening.call = VendorCall::kPciInfo;
  opening.answer = answer_of(call(calls_, opening.call, place, library_.pci_info, gpu->handle, &pci));
  if (!opening.answer.ok()) return opening;
  opening.pci = canonical_pci(pci);
  opening.opened = std::move(gpu);
  return opening;
}

// All of it is decoration: a device without a serial is still a device.
void NvmlBackend::identify(VendorDevice& device) {
  const Device handle = gpu_of(device).handle;
  DeviceIdentity& identity = device.identity;
  call(calls_, VendorCall::kUuid, identity.seat, library_.uuid, handle, &identity.uuid[0], kUuidSize);
  call(calls_, VendorCall::kName, identity.seat, library_.name, handle, &identity.name[0], kNameSize);
  call(calls_, VendorCall::kSerial, identity.seat, library_.serial, handle, &identity.serial[0], kSerialSize);
  const auto place = [&](VendorCall which, auto function, std::int32_t& out, unsigned highest) {
    unsigned number = 0;
    const bool known = call(calls_, which, identity.seat, function, handle, &number) == kSuccess;
    if (known && number <= highest) out = static_cast<std::int32_t>(number);
  };
  place(VendorCall::kMinorNumber, library_.minor_number, identity.minor, 0x7fffffff);
  place(VendorCall::kModuleId, library_.module_id, identity.module, kHighestPlace);
  place(VendorCall::kNumaNode, library_.numa_node, identity.numa_node, kHighestPlace);
  place(VendorCall::kArchitecture, library_.architecture, identity.architecture, kHighestPlace);
}

}  // namespace faultline::nvml
