// Hands over binds and unbinds, and has the child list the devices anew.
#include "vendor/system_events.h"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>

namespace faultline {
namespace {

constexpr std::uint32_t kSlot = 2;
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

SystemEvents::SystemEvents(const NvmlLibrary& nvml, RingLayout& ring, Reporter& reporter, const std::vector<Gpu>& gpus)
    : nvml_(nvml), calls_(ring, kSlot), reporter_(reporter) {
  if (nvml_.system_event_set_create == nullptr || nvml_.system_register_events == nullptr ||
      nvml_.system_event_set_wait == nullptr || nvml_.system_event_set_free == nullptr) {
    return;
  }
  for (const Gpu& gpu : gpus) known_.push_back({gpu.identity.seat, driver_gpu_id(gpu.identity.pci)});
  thread_.start("system-events", [this] { run(); });
}

void SystemEvents::run() {
  nvml::SystemEventSetCreate create{nvml::kFirstVersion<nvml::SystemEventSetCreate>, nullptr};
  if (calls_.call(VendorCall::kSystemEventSetCreate, kNoDevice, nvml_.system_event_set_create, &create) != nvml::kSuccess) {
    return;
  }
  nvml::SystemRegisterEvents wanted{nvml::kFirstVersion<nvml::SystemRegisterEvents>, nvml::kSystemEventDriverUnbind | nvml::kSystemEventDriverBind, create.set};
  bool works = calls_.call(VendorCall::kSystemRegisterEvents, kNoDevice, nvml_.system_register_events, &wanted) ==
               nvml::kSuccess;
  while (works && !thread_.stopping()) works = wait(create.set);
  nvml::SystemEventSetFree free{nvml::kFirstVersion<nvml::SystemEventSetFree>, create.set};
  calls_.call(VendorCall::kSystemEventSetFree, kNoDevice, nvml_.system_event_set_free, &free);
}

bool SystemEvents::wait(nvml::SystemEventSetHandle set) {
  nvml::SystemEventData events[kMostAtOnce]{};
  nvml::SystemEventSetWait request{
      nvml::kFirstVersion<nvml::SystemEventSetWait>, static_cast<unsigned>(kEventWaitMs), set, &events[0], kMostAtOnce, 0};
  const nvml::Return result =
      calls_.call(VendorCall::kSystemEventSetWait, kNoDevice, nvml_.system_event_set_wait, &request);
  if (result == nvml::kSuccess || result == nvml::kTimeout) {
    if (retry_.worked()) reporter_.part("system_events", "they come again", 0);
    for (unsigned i = 0; result == nvml::kSuccess && i < request.numEvent && i < kMostAtOnce; ++i) tell(events[i]);
    // A library that answers at once with nothing would be asked without end.
    if (result == nvml::kSuccess && request.numEvent == 0) thread_.pause_ms(static_cast<int>(kEventWaitMs));
    return true;
  }
  if (classify(result) == CodeClass::kUnsupported) return false;
  if (retry_.failed()) {
    reporter_.part("system_events", "waiting for them keeps failing: " + nvml_.describe(result), result);
  }
  thread_.pause_ms(retry_.pause_ms());
  return true;
}

void SystemEvents::tell(const nvml::SystemEventData& event) {
  const bool unbound = (event.eventType & nvml::kSystemEventDriverUnbind) != 0;
  if (!unbound && (event.eventType & nvml::kSystemEventDriverBind) == 0) return;
  std::uint32_t seat = kNoDevice;
  for (const Known& known : known_) {
    if (known.pci_id != 0 && known.pci_id == event.gpuId) seat = known.seat;
  }
  char text[32];
  std::snprintf(text, sizeof text, "driver id 0x%x", event.gpuId);
  reporter_.event(seat, unbound ? "driver_unbind" : "driver_bind", event.gpuId, text);
  changed_.store(true, std::memory_order_release);
  kill(getpid(), SIGUSR1);  // blocked everywhere but where the sampler sleeps
}

}  // namespace faultline
