// Binds and unbinds, with the driver's own number of a device for its seat.
#include <algorithm>
#include <charconv>

#include "vendor/nvml/events.h"

namespace faultline::nvml {
namespace {

constexpr unsigned kMostAtOnce = 16;  // of the devices of one host; what does not fit comes with the next wait

}  // namespace

std::uint32_t driver_gpu_id(std::string_view pci) {
  if (!is_pci_address(pci)) return 0;
  const std::size_t colon = pci.find(':');
  std::uint32_t domain = 0, bus = 0, device = 0;
  std::from_chars(pci.data(), pci.data() + colon, domain, 16);
  std::from_chars(pci.data() + colon + 1, pci.data() + colon + 3, bus, 16);
  std::from_chars(pci.data() + colon + 4, pci.data() + colon + 6, device, 16);
  return domain << 16 | bus << 8 | device;
}

bool ChangeStream::possible(const Library& nvml) {
  return nvml.system_event_set_create != nullptr && nvml.system_register_events != nullptr &&
         nvml.system_event_set_wait != nullptr && nvml.system_event_set_free != nullptr;
}

ChangeStream::ChangeStream(const Library& nvml, CallContext& calls, const VendorDevices& devices) : nvml_(nvml), calls_(calls) {
  for (const auto& device : devices) known_.push_back({device->identity.seat, driver_gpu_id(device->identity.pci)});
}

Answer ChangeStream::open() {
  SystemEventSetCreate create{kFirstVersion<SystemEventSetCreate>, nullptr};
  const Return made = call(calls_, VendorCall::kSystemEventSetCreate, kNoDevice, nvml_.system_event_set_create, &create);
  if (made != kSuccess) return answer_of(made);
  set_ = create.set;
  SystemRegisterEvents wanted{kFirstVersion<SystemRegisterEvents>, kSystemEventDriverUnbind | kSystemEventDriverBind, set_};
  const Return result = call(calls_, VendorCall::kSystemRegisterEvents, kNoDevice, nvml_.system_register_events, &wanted);
  if (result != kSuccess) close();
  return answer_of(result);
}

Answer ChangeStream::wait(std::vector<DeviceChange>& changes) {
  SystemEventData events[kMostAtOnce]{};
  SystemEventSetWait request{
      kFirstVersion<SystemEventSetWait>, static_cast<unsigned>(kEventWaitMs), set_, &events[0], kMostAtOnce, 0};
  const Return result = call(calls_, VendorCall::kSystemEventSetWait, kNoDevice, nvml_.system_event_set_wait, &request);
  changes.clear();
  if (result != kSuccess) return answer_of(result);
  for (unsigned i = 0; i < std::min(request.numEvent, kMostAtOnce); ++i) {
    const bool left = (events[i].eventType & kSystemEventDriverUnbind) != 0;
    if (!left && (events[i].eventType & kSystemEventDriverBind) == 0) continue;
    DeviceChange change{kNoDevice, events[i].gpuId, !left};
    for (const Known& known : known_) {
      if (known.id != 0 && known.id == change.id) change.seat = known.seat;
    }
    changes.push_back(change);
  }
  return {};
}

void ChangeStream::close() {
  SystemEventSetFree free{kFirstVersion<SystemEventSetFree>, set_};
  call(calls_, VendorCall::kSystemEventSetFree, kNoDevice, nvml_.system_event_set_free, &free);
}

}  // namespace faultline::nvml
