// Exports about events of the driver as a whole: one each time the serial of `system.event` changes.
#include <mutex>

#include "fake/change_watch.h"
#include "fake/exports.h"
#include "vendor/nvml/system_events_abi.h"

using namespace faultline;
using faultline::fake::begin;

namespace {

struct SystemSet {
  std::mutex mutex;
  unsigned long long types = 0;
  std::uint64_t serial = 0;  // the last one that was delivered, or was there before
};

SystemSet* set_of(nvml::SystemEventSetHandle set) { return reinterpret_cast<SystemSet*>(set); }

bool next_event(SystemSet& set, nvml::SystemEventSetWait& request) {
  const std::lock_guard lock(set.mutex);
  const fake::EventScript event = fake::World::instance().system_event();
  if (event.serial == set.serial || (event.type & set.types) == 0 || request.dataSize == 0) return false;
  set.serial = event.serial;
  request.data[0] = {event.type, static_cast<unsigned>(event.data)};
  request.numEvent = 1;
  return true;
}

}  // namespace

FAULTLINE_EXPORT nvml::Return nvmlSystemEventSetCreate(nvml::SystemEventSetCreate* request) {
  const int error = begin("nvmlSystemEventSetCreate");
  if (error != 0) return error;
  if (request->version != nvml::kFirstVersion<nvml::SystemEventSetCreate>) return nvml::kArgumentVersionMismatch;
  request->set = reinterpret_cast<nvml::SystemEventSetHandle>(new SystemSet);
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlSystemRegisterEvents(nvml::SystemRegisterEvents* request) {
  const int error = begin("nvmlSystemRegisterEvents");
  if (error != 0) return error;
  if (request->version != nvml::kFirstVersion<nvml::SystemRegisterEvents>) return nvml::kArgumentVersionMismatch;
  SystemSet& set = *set_of(request->set);
  const std::lock_guard lock(set.mutex);
  set.types = request->eventTypes;
  set.serial = fake::World::instance().system_event().serial;
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlSystemEventSetWait(nvml::SystemEventSetWait* request) {
  const int error = begin("nvmlSystemEventSetWait");
  if (error != 0) return error;
  if (request->version != nvml::kFirstVersion<nvml::SystemEventSetWait>) return nvml::kArgumentVersionMismatch;
  fake::ChangeWatch watch(fake::World::instance().control());
  const long end_ms = fake::now_ms() + static_cast<long>(request->timeoutms);
  for (;;) {
    if (next_event(*set_of(request->set), *request)) return nvml::kSuccess;
    const long left_ms = end_ms - fake::now_ms();
    if (left_ms <= 0) return nvml::kTimeout;
    watch.wait(left_ms);
  }
}

FAULTLINE_EXPORT nvml::Return nvmlSystemEventSetFree(nvml::SystemEventSetFree* request) {
  const int error = begin("nvmlSystemEventSetFree");
  if (error == 0) delete set_of(request->set);
  return error;
}
