// Registers for what each device supports, and puts what comes into the shared words.
#include "vendor/nvml/event_types.h"
#include "vendor/nvml/events.h"

namespace faultline::nvml {
namespace {

// XIDs of a system processor that does not answer (NVIDIA's XID catalogue: 119 RPC timeout, 120 error).
constexpr unsigned long long kGspRpcTimeout = 119;
constexpr unsigned long long kGspError = 120;

std::string instance_text(const EventData& event) {
  if (event.gpuInstanceId == kNoInstance) return {};
  std::string text = "gi " + std::to_string(event.gpuInstanceId);
  if (event.computeInstanceId != kNoInstance) text += " ci " + std::to_string(event.computeInstanceId);
  return text;
}

}  // namespace

DeviceStream::DeviceStream(const Library& nvml, CallContext& calls, const VendorDevices& devices) : nvml_(nvml), calls_(calls) {
  for (const auto& device : devices) watched_.push_back({static_cast<const Gpu&>(*device).handle, device->identity.seat});
}

Answer DeviceStream::open() {
  return answer_of(call(calls_, VendorCall::kEventSetCreate, kNoDevice, nvml_.event_set_create, &set_));
}

Answer DeviceStream::watch(std::size_t device) {
  const Watched& watched = watched_[device];
  unsigned long long supported = kEventXidCritical;
  call(calls_, VendorCall::kSupportedEventTypes, watched.seat, nvml_.supported_event_types, watched.handle, &supported);
  const auto attempt = [&](unsigned long long mask) {
    return call(calls_, VendorCall::kRegisterEvents, watched.seat, nvml_.register_events, watched.handle, mask, set_);
  };
  const unsigned long long mask = wanted_events(supported);
  if (mask == 0) return answer_of(kNotSupported);
  const Return result = attempt(mask);
  // A driver that refuses what it says it supports still reports XIDs.
  const bool again = result != kSuccess && mask != kEventXidCritical && (mask & kEventXidCritical) != 0;
  return answer_of(again ? attempt(kEventXidCritical) : result);
}

Answer DeviceStream::wait(DriverEvent& event) {
  EventData data{};
  data.gpuInstanceId = data.computeInstanceId = kNoInstance;  // the unsuffixed call does not fill them
  const Return result = call(calls_, VendorCall::kEventSetWait, kNoDevice, nvml_.event_set_wait, set_, &data,
                             static_cast<unsigned>(kEventWaitMs));
  if (result != kSuccess) return answer_of(result);
  event = {};
  event.word = event_word_of(data.eventType);
  event.data = data.eventData;
  event.part = instance_text(data);
  for (const Watched& watched : watched_) {
    if (watched.handle == data.device) event.seat = watched.seat;
  }
  event.processor_stalled =
      event.word == EventWord::kXid && (data.eventData == kGspRpcTimeout || data.eventData == kGspError);
  event.split_otherwise = event.word == EventWord::kMigConfigChange;
  return {};
}

void DeviceStream::close() { call(calls_, VendorCall::kEventSetFree, kNoDevice, nvml_.event_set_free, set_); }

}  // namespace faultline::nvml
