// Names devices by PCI address and says each thing once.
#include "core/vendor/report.h"

#include <cstdio>
#include <utility>

#include "core/clock.h"

namespace faultline {
namespace {

constexpr std::size_t kXidsRemembered = 32;
constexpr std::int64_t kSameXidNs = 2'000'000'000;

void put_json(std::string& json, std::string_view key, std::string_view value) {
  json += ",\"";
  json += key;
  json += "\":\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') json += '\\';
    json += c;  // bounded_text left no control characters
  }
  json += '"';
}

std::string identity_json(const NoticeRecord& record) {
  std::string json = "{\"index\":" + std::to_string(record.device);
  put_json(json, "uuid", bounded_text(record.uuid));
  put_json(json, "name", bounded_text(record.name));
  put_json(json, "serial", bounded_text(record.serial));
  json += ",\"minor\":" + (record.minor < 0 ? std::string("null") : std::to_string(record.minor));
  put_json(json, "driver", bounded_text(record.driver));
  return json + "}";
}

}  // namespace

void VendorReport::close() {
  const std::lock_guard lock(mutex_);
  if (sink_ == nullptr) return;
  Notice stopped{.type = "state", .monotonic_ns = monotonic_now(), .component = {}, .name = "stopped", .text = {}};
  sink_->notice(std::move(stopped));
  sink_.reset();
}

void VendorReport::emit(Notice notice) {
  if (notice.monotonic_ns == 0) notice.monotonic_ns = monotonic_now();
  const std::lock_guard lock(mutex_);
  if (sink_ != nullptr) sink_->notice(std::move(notice));
}

void VendorReport::sample(const SampleRecord& record) {
  Device& device = devices_[record.device];
  if (device.pci.empty()) return;
  const std::lock_guard lock(mutex_);
  if (sink_ == nullptr) return;
  if (!device.has_series[record.quantity]) {
    device.series[record.quantity] =
        sink_->series("gpu/" + device.pci + "#" + std::string(kQuantityNames[record.quantity]));
    device.has_series[record.quantity] = true;
  }
  if (!device.sampled) newly_seen_.insert(record.device);
  device.sampled = true;
  device.lost = false;
  sink_->sample(device.series[record.quantity], record.monotonic_ns, record.value);
}

void VendorReport::notice(const NoticeRecord& record) {
  switch (static_cast<NoticeType>(record.type)) {
    case NoticeType::kDevice:
      return device(record);
    case NoticeType::kState:
      return state(bounded_text(record.name), bounded_text(record.text), record.value);
    case NoticeType::kXid:
      return xid(record);
    case NoticeType::kDeviceLost:
      return device_lost(record);
    case NoticeType::kEnd:
      return;
  }
}

void VendorReport::device(const NoticeRecord& record) {
  Device& device = devices_[record.device];
  const std::string pci = bounded_text(record.pci);
  const std::string identity = identity_json(record);
  device.sampled = false;
  if (device.pci == pci && device.identity == identity) return;  // a successor found what its predecessor had
  if (device.pci != pci) device = Device{};
  device.pci = pci;
  device.identity = identity;
  emit({.type = "device",
        .monotonic_ns = record.monotonic_ns,
        .component = "gpu/" + pci,
        .name = {},
        .text = identity});
}

void VendorReport::device_lost(const NoticeRecord& record) {
  if (record.device >= kMaxDevices) return;
  newly_lost_.insert(record.device);
  if (devices_[record.device].lost) return;
  devices_[record.device].lost = true;
  emit({.type = "device_lost",
        .monotonic_ns = record.monotonic_ns,
        .component = component(record.device),
        .name = bounded_text(record.name),
        .text = "index " + std::to_string(record.device),
        .value = record.value});
}

void VendorReport::xid(const NoticeRecord& record) {
  recent_xids_.push_back({record.device, record.value, record.monotonic_ns});
  if (recent_xids_.size() > kXidsRemembered) recent_xids_.pop_front();
  emit({.type = "xid",
        .monotonic_ns = record.monotonic_ns,
        .component = component(record.device),
        .name = {},
        .text = {},
        .value = record.value});
}

void VendorReport::xid_once(const NoticeRecord& record) {
  for (const Xid& known : recent_xids_) {
    const std::int64_t apart = record.monotonic_ns - known.monotonic_ns;
    if (known.device == record.device && known.number == record.value && apart < kSameXidNs && apart > -kSameXidNs) return;
  }
  xid(record);
}

void VendorReport::state(std::string_view name, std::string_view text, double value, std::string traceparent) {
  std::string both = std::string(name) + '\n' + std::string(text);
  if (both == last_state_ && traceparent.empty()) return;
  last_state_ = std::move(both);
  emit({.type = "state",
        .component = {},
        .name = std::string(name),
        .text = std::string(text),
        .value = value,
        .traceparent = std::move(traceparent)});
}

void VendorReport::call_stalled(std::uint32_t device, std::string_view call, double stalled_ms) {
  std::string text;
  if (device != kNoDevice) text = "index " + std::to_string(device);
  emit({.type = "call_stalled",
        .component = component(device),
        .name = std::string(call),
        .text = text,
        .value = stalled_ms});
}

void VendorReport::child_exit(std::string_view name, std::string_view text, double value) {
  emit({.type = "child_exit", .component = {}, .name = std::string(name), .text = std::string(text), .value = value});
}

std::string VendorReport::pci(std::uint32_t device) const { return device < kMaxDevices ? devices_[device].pci : ""; }

std::string VendorReport::component(std::uint32_t device) const {
  const std::string address = pci(device);
  return address.empty() ? "" : "gpu/" + address;
}

}  // namespace faultline
