// Exports about events of devices: one each time its serial in the control file changes after registration.
#include <algorithm>
#include <mutex>
#include <vector>

#include "fake/change_watch.h"
#include "fake/exports.h"

using namespace faultline;
using faultline::fake::begin;

namespace {

struct Registration {
  int index;
  unsigned long long types;
  std::uint64_t xid_serial, event_serial;  // the last ones that were delivered, or were there before
  unsigned long long event_left;           // of one that comes several times
};

struct Set {
  std::mutex mutex;
  std::vector<Registration> registrations;
};

Set* set_of(nvml::EventSet set) { return reinterpret_cast<Set*>(set); }

bool next_of(Registration& registration, const fake::Gpu& gpu, nvml::EventData& event) {
  const nvml::Device device = fake::handle_of(static_cast<unsigned>(registration.index));
  if ((registration.types & nvml::kEventXidCritical) != 0 && gpu.xid_serial != registration.xid_serial) {
    registration.xid_serial = gpu.xid_serial;
    event = {device, nvml::kEventXidCritical, gpu.xid, 0xffffffff, 0xffffffff};
    return true;
  }
  if (gpu.event.serial != registration.event_serial) {
    registration.event_serial = gpu.event.serial;
    registration.event_left = gpu.event.count;
  }
  if ((registration.types & gpu.event.type) == 0 || registration.event_left == 0) return false;
  --registration.event_left;
  event = {device, gpu.event.type, gpu.event.data, 0xffffffff, 0xffffffff};
  return true;
}

bool next_event(Set& set, nvml::EventData& event) {
  const std::lock_guard lock(set.mutex);
  for (Registration& registration : set.registrations) {
    fake::Gpu gpu;
    fake::Counters counters;
    if (!fake::World::instance().gpu(registration.index, gpu, counters)) continue;
    if (next_of(registration, gpu, event)) return true;
  }
  return false;
}

}  // namespace

FAULTLINE_EXPORT nvml::Return nvmlEventSetCreate(nvml::EventSet* set) {
  const int error = begin("nvmlEventSetCreate");
  if (error == 0) *set = reinterpret_cast<nvml::EventSet>(new Set);
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetSupportedEventTypes(nvml::Device device, unsigned long long* types) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetSupportedEventTypes", device, gpu, counters);
  if (error == 0) *types = gpu.supported_events;
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceRegisterEvents(nvml::Device device, unsigned long long types, nvml::EventSet set) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceRegisterEvents", device, gpu, counters);
  if (error != 0) return error;
  if (set == nullptr || types == 0 || (types & ~gpu.supported_events) != 0) return nvml::kNotSupported;
  const std::lock_guard lock(set_of(set)->mutex);
  set_of(set)->registrations.push_back({fake::index_of(device), types, gpu.xid_serial, gpu.event.serial, 0});
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlEventSetWait_v2(nvml::EventSet set, nvml::EventData* event, unsigned timeout_ms) {
  const int error = begin("nvmlEventSetWait_v2");
  if (error != 0) return error;
  if (set == nullptr || event == nullptr) return nvml::kInvalidArgument;
  fake::ChangeWatch watch(fake::World::instance().control());
  const long end_ms = fake::now_ms() + static_cast<long>(timeout_ms);
  for (;;) {
    if (next_event(*set_of(set), *event)) return nvml::kSuccess;
    const long left_ms = end_ms - fake::now_ms();
    if (left_ms <= 0) return nvml::kTimeout;
    watch.wait(left_ms);
  }
}

FAULTLINE_EXPORT nvml::Return nvmlEventSetFree(nvml::EventSet set) {
  const int error = begin("nvmlEventSetFree");
  if (error == 0) delete set_of(set);
  return error;
}
