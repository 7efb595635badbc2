// Registers for what each device supports and hands over what comes, bounded.
#include "vendor/device_events.h"

#include <string>
#include <utility>

#include "vendor/nvml/event_types.h"

namespace faultline {
namespace {

constexpr std::uint32_t kSlot = 1;  // slot 0 is the sampler's
constexpr std::int64_t kSecondNs = 1'000'000'000;
// Past this many in one second the thread rests between two: the driver's queue keeps the newest for it.
constexpr unsigned kFastInSecond = 100;
constexpr int kRestMs = 10;
constexpr unsigned kNoInstance = 0xffffffff;
// XIDs of a system processor that does not answer (NVIDIA's XID catalogue: 119 RPC timeout, 120 error).
constexpr unsigned long long kGspRpcTimeout = 119;
constexpr unsigned long long kGspError = 120;
constexpr unsigned long long kMigChange = 0x100;
static_assert(event_name(kMigChange) == "mig_config_change");

std::string instance_text(const nvml::EventData& event) {
  if (event.gpuInstanceId == kNoInstance) return {};
  std::string text = "gi " + std::to_string(event.gpuInstanceId);
  if (event.computeInstanceId != kNoInstance) text += " ci " + std::to_string(event.computeInstanceId);
  return text;
}

std::string held_text(std::uint64_t held) { return std::to_string(held) + " more since the last one told"; }

}  // namespace

DeviceEvents::DeviceEvents(const NvmlLibrary& nvml, RingLayout& ring, Reporter& reporter, const std::vector<Gpu>& gpus)
    : nvml_(nvml), calls_(ring, kSlot), reporter_(reporter) {
  for (const Gpu& gpu : gpus) watched_.push_back({gpu.handle, gpu.identity.seat});
  thread_.start("device-events", [this] { run(); });
}

std::vector<std::uint32_t> DeviceEvents::take_gsp_timeouts() {
  const std::lock_guard lock(mutex_);
  return std::exchange(gsp_timeouts_, {});
}

std::vector<std::uint32_t> DeviceEvents::take_mig_changes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(mig_changes_, {});
}

void DeviceEvents::note(std::vector<std::uint32_t>& list, std::uint32_t device) {
  const std::lock_guard lock(mutex_);
  if (device != kNoDevice && list.size() < kMaxDevices) list.push_back(device);
}

void DeviceEvents::run() {
  nvml::EventSet set = nullptr;
  const nvml::Return made = calls_.call(VendorCall::kEventSetCreate, kNoDevice, nvml_.event_set_create, &set);
  if (made != nvml::kSuccess) return reporter_.part("events", "no event set: " + nvml_.describe(made), made);
  bool works = register_all(set);
  while (works && !thread_.stopping()) works = wait(set);
  calls_.call(VendorCall::kEventSetFree, kNoDevice, nvml_.event_set_free, set);
}

bool DeviceEvents::register_all(nvml::EventSet set) {
  unsigned watched_devices = 0;
  nvml::Return refused = nvml::kSuccess;
  for (const Watched& watched : watched_) {
    if (thread_.stopping()) return false;
    const nvml::Return result = register_device(watched, set);
    if (result == nvml::kSuccess) ++watched_devices;
    else refused = result;
  }
  if (watched_devices > 0) {
    reporter_.part("events", std::to_string(watched_devices) + " devices are watched", 0);
  } else if (refused != nvml::kSuccess) {
    reporter_.part("events", "no device lets itself be watched: " + nvml_.describe(refused), refused);
  }
  return watched_devices > 0;
}

nvml::Return DeviceEvents::register_device(const Watched& watched, nvml::EventSet set) {
  unsigned long long supported = nvml::kEventXidCritical;
  calls_.call(VendorCall::kSupportedEventTypes, watched.seat, nvml_.supported_event_types, watched.handle, &supported);
  const auto attempt = [&](unsigned long long mask) {
    return calls_.call(VendorCall::kRegisterEvents, watched.seat, nvml_.register_events, watched.handle, mask, set);
  };
  const unsigned long long mask = wanted_events(supported);
  if (mask == 0) return nvml::kNotSupported;
  const nvml::Return result = attempt(mask);
  // A driver that refuses what it says it supports still tells the XIDs.
  const bool again = result != nvml::kSuccess && mask != nvml::kEventXidCritical && (mask & nvml::kEventXidCritical) != 0;
  return again ? attempt(nvml::kEventXidCritical) : result;
}

bool DeviceEvents::wait(nvml::EventSet set) {
  nvml::EventData event{};
  event.gpuInstanceId = event.computeInstanceId = kNoInstance;  // the unsuffixed call does not fill them
  const nvml::Return result = calls_.call(VendorCall::kEventSetWait, kNoDevice, nvml_.event_set_wait, set, &event,
                                          static_cast<unsigned>(kEventWaitMs));
  if (result == nvml::kSuccess || result == nvml::kTimeout) {
    if (retry_.worked()) reporter_.part("events", "they come again", 0);
    if (result == nvml::kSuccess) take(event);
    else tell_ebbed();
    return true;
  }
  if (classify(result) == CodeClass::kUnsupported) {
    reporter_.part("events", "waiting for them: " + nvml_.describe(result), result);
    return false;
  }
  if (retry_.failed()) reporter_.part("events", "waiting for them keeps failing: " + nvml_.describe(result), result);
  thread_.pause_ms(retry_.pause_ms());
  return true;
}

void DeviceEvents::take(const nvml::EventData& event) {
  const std::int64_t now = monotonic_now();
  slow_down(now);
  if (event_name(event.eventType).empty()) return;
  EventKey key{kNoDevice, event.eventType, 0};
  for (const Watched& watched : watched_) {
    if (watched.handle == event.device) key.device = watched.seat;
  }
  if ((event.eventType & nvml::kEventXidCritical) != 0) {
    key = {key.device, nvml::kEventXidCritical, event.eventData};
    if (event.eventData == kGspRpcTimeout || event.eventData == kGspError) note(gsp_timeouts_, key.device);
  }
  if (event.eventType == kMigChange) note(mig_changes_, key.device);
  const auto held = flood_.admit(key, now);
  if (!held) return;
  std::string text = instance_text(event);
  if (*held > 0) text += (text.empty() ? "" : "; ") + held_text(*held);
  tell(key, static_cast<double>(event.eventData), std::move(text));
}

void DeviceEvents::tell(const EventKey& key, double data, std::string text) {
  if (key.type == nvml::kEventXidCritical) reporter_.xid(key.device, key.data, text);
  else reporter_.event(key.device, event_name(key.type), data, text);
}

void DeviceEvents::tell_ebbed() {
  while (const auto held = flood_.ebbed(monotonic_now())) {
    tell(held->key, static_cast<double>(held->key.data), held_text(held->count));
  }
}

void DeviceEvents::slow_down(std::int64_t now_ns) {
  if (now_ns - second_began_ns_ >= kSecondNs) {
    second_began_ns_ = now_ns;
    taken_in_second_ = 0;
  }
  if (++taken_in_second_ > kFastInSecond) thread_.pause_ms(kRestMs);
}

}  // namespace faultline
