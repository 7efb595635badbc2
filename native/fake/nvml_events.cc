// Exports about events: an XID each time its serial in the control file changes after registration.
#include <time.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "fake/exports.h"

using namespace faultline;
using faultline::fake::begin;

namespace {

constexpr long kLookEveryNs = 10'000'000;

struct Registration {
  int index;
  std::uint64_t serial;  // the last one that was delivered, or was there before
};

struct Set {
  std::mutex mutex;
  std::vector<Registration> registrations;
};

Set* set_of(nvml::EventSet set) { return reinterpret_cast<Set*>(set); }

bool next_event(Set& set, nvml::EventData& event) {
  const std::lock_guard lock(set.mutex);
  for (Registration& registration : set.registrations) {
    fake::Gpu gpu;
    fake::Counters counters;
    if (!fake::World::instance().gpu(registration.index, gpu, counters) || gpu.xid_serial == registration.serial) continue;
    registration.serial = gpu.xid_serial;
    event = {fake::handle_of(static_cast<unsigned>(registration.index)), nvml::kEventXidCritical, gpu.xid, 0xffffffff,
             0xffffffff};
    return true;
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
  if (error == 0) *types = nvml::kEventXidCritical;
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceRegisterEvents(nvml::Device device, unsigned long long types, nvml::EventSet set) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceRegisterEvents", device, gpu, counters);
  if (error != 0) return error;
  if (set == nullptr || types == 0 || (types & ~nvml::kEventXidCritical) != 0) return nvml::kNotSupported;
  const std::lock_guard lock(set_of(set)->mutex);
  set_of(set)->registrations.push_back({fake::index_of(device), gpu.xid_serial});
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlEventSetWait_v2(nvml::EventSet set, nvml::EventData* event, unsigned timeout_ms) {
  const int error = begin("nvmlEventSetWait_v2");
  if (error != 0) return error;
  if (set == nullptr || event == nullptr) return nvml::kInvalidArgument;
  const long slices = static_cast<long>(timeout_ms) * 1'000'000 / kLookEveryNs;
  for (long slice = 0;; ++slice) {
    if (next_event(*set_of(set), *event)) return nvml::kSuccess;
    if (slice >= slices) return nvml::kTimeout;
    const timespec wait{0, kLookEveryNs};
    nanosleep(&wait, nullptr);
  }
}

FAULTLINE_EXPORT nvml::Return nvmlEventSetFree(nvml::EventSet set) {
  const int error = begin("nvmlEventSetFree");
  if (error == 0) delete set_of(set);
  return error;
}
