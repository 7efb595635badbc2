// Registers for XID events and hands each over as it comes.
#include "vendor/xid_events.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>

namespace faultline {
namespace {

constexpr std::uint32_t kSlot = 1;  // slot 0 is the sampler's
constexpr int kFirstPauseMs = 100;
constexpr int kLongestPauseMs = 30'000;

}  // namespace

XidEvents::XidEvents(const NvmlLibrary& nvml, RingLayout& ring, Reporter& reporter, const std::vector<Gpu>& gpus)
    : nvml_(nvml), calls_(ring, kSlot), reporter_(reporter) {
  for (const Gpu& gpu : gpus) watched_.push_back({gpu.handle, gpu.identity.index});
  thread_ = std::thread([this] { run(); });
}

void XidEvents::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void XidEvents::run() {
  pthread_setname_np(pthread_self(), "xid-events");
  nvml::EventSet set = nullptr;
  if (calls_.call(VendorCall::kEventSetCreate, kNoDevice, nvml_.event_set_create, &set) != nvml::kSuccess) return;
  int pause = 0;
  bool registered = register_all(set);
  while (registered && !stopping()) {
    nvml::EventData event{};
    const nvml::Return result = calls_.call(VendorCall::kEventSetWait, kNoDevice, nvml_.event_set_wait, set, &event,
                                            static_cast<unsigned>(kEventWaitMs));
    if (result == nvml::kSuccess) {
      report(event);
      pause = 0;
    } else if (result == nvml::kTimeout) {
      pause = 0;
    } else if (classify(result) == CodeClass::kUnsupported) {
      registered = false;
    } else {
      // An error that stays comes back at once, each time.
      pause = std::clamp(pause * 2, kFirstPauseMs, kLongestPauseMs);
      pause_ms(pause);
    }
  }
  calls_.call(VendorCall::kEventSetFree, kNoDevice, nvml_.event_set_free, set);
}

bool XidEvents::register_all(nvml::EventSet set) {
  bool any = false;
  for (const Watched& watched : watched_) {
    unsigned long long supported = nvml::kEventXidCritical;
    // Asking for an event that the driver does not know fails the whole registration.
    calls_.call(VendorCall::kSupportedEventTypes, watched.index, nvml_.supported_event_types, watched.handle, &supported);
    const unsigned long long mask = supported & nvml::kEventXidCritical;
    if (mask == 0 || stopping()) continue;
    any |= calls_.call(VendorCall::kRegisterEvents, watched.index, nvml_.register_events, watched.handle, mask, set) ==
           nvml::kSuccess;
  }
  return any;
}

void XidEvents::report(const nvml::EventData& event) {
  if ((event.eventType & nvml::kEventXidCritical) == 0) return;
  std::uint32_t index = kNoDevice;
  for (const Watched& watched : watched_) {
    if (watched.handle == event.device) index = watched.index;
  }
  reporter_.xid(index, event.eventData);
}

bool XidEvents::stopping() {
  const std::lock_guard lock(mutex_);
  return stop_;
}

void XidEvents::pause_ms(int duration_ms) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(duration_ms), [this] { return stop_; });
}

}  // namespace faultline
