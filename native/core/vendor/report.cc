// Names devices by PCI address and says each thing once.
#include "core/vendor/report.h"

#include <cstdio>
#include <utility>

#include "core/clock.h"

namespace faultline {
namespace {

constexpr SeriesId kNotAsked = 0xfffffffe;

constexpr bool is_instance(std::uint32_t link) { return link >= kFirstInstance && link != kNoLink; }

void put_json(std::string& json, std::string_view key, std::string_view value) {
  json += json.size() > 1 ? ",\"" : "\"";
  json += key;
  json += "\":\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') json += '\\';
    json += c;  // bounded_text left no control characters
  }
  json += '"';
}

void put_number(std::string& json, std::string_view key, std::int32_t value) {
  json += ",\"" + std::string(key) + "\":" + (value < 0 ? std::string("null") : std::to_string(value));
}

std::string identity_json(const NoticeRecord& record) {
  std::string json = "{\"index\":" + std::to_string(record.device);
  put_json(json, "uuid", bounded_text(record.uuid));
  put_json(json, "name", bounded_text(record.name));
  put_json(json, "serial", bounded_text(record.serial));
  put_number(json, "minor", record.minor);
  put_json(json, "driver", bounded_text(record.driver));
  put_number(json, "module", record.module);
  put_number(json, "numa_node", record.numa_node);
  put_number(json, "architecture", record.architecture);
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
  watch_for_reset(record);
  const std::lock_guard lock(mutex_);
  if (sink_ == nullptr) return;
  const SeriesId series = series_of(device, record.link, record.quantity);
  if (!device.sampled) newly_seen_.insert(record.device);
  device.sampled = true;
  device.lost = false;
  sink_->sample(series, record.monotonic_ns, record.value);
}

SeriesId VendorReport::series_of(Device& device, std::uint32_t link, std::uint32_t quantity) {
  SeriesId& series = row_of(device, link)[quantity];
  if (series != kNotAsked) return series;
  std::string component = "gpu/" + device.pci;
  if (is_instance(link)) component = "gpu_instance/" + device.pci + "/" + std::to_string(link - kFirstInstance);
  else if (link != kNoLink) component = "nvlink/" + device.pci + "/" + std::to_string(link);
  series = sink_->series(component + "#" + std::string(kQuantityNames[quantity]));
  return series;
}

VendorReport::SeriesRow& VendorReport::row_of(Device& device, std::uint32_t link) {
  if (is_instance(link)) {
    const auto [found, fresh] = device.instance_series.try_emplace(link - kFirstInstance);
    if (fresh) found->second.fill(kNotAsked);
    return found->second;
  }
  const std::size_t row = link == kNoLink ? 0 : std::size_t{link} + 1;
  while (device.series.size() <= row) device.series.emplace_back().fill(kNotAsked);
  return device.series[row];
}

void VendorReport::notice(const NoticeRecord& record) {
  switch (static_cast<NoticeType>(record.type)) {
    case NoticeType::kDevice:
      return device(record);
    case NoticeType::kState:
      return state(bounded_text(record.name), bounded_text(record.text), record.value);
    case NoticeType::kXid:
    case NoticeType::kEvent:
      return event(record);
    case NoticeType::kPart:
      return part(record);
    case NoticeType::kDeviceLost:
      return device_lost(record);
    case NoticeType::kCapability:
      return capability(record);
    case NoticeType::kInstance:
      return instance(record);
    case NoticeType::kProcesses:
      return processes(record);
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
  newly_lost_[record.device] = bounded_text(record.name) != vendor_call_name(VendorCall::kHandleByIndex);
  if (devices_[record.device].lost) return;
  devices_[record.device].lost = true;
  emit({.type = "device_lost",
        .monotonic_ns = record.monotonic_ns,
        .component = component(record.device),
        .name = bounded_text(record.name),
        .text = "index " + std::to_string(record.device),
        .value = record.value});
}

void VendorReport::capability(const NoticeRecord& record) {
  if (record.device >= kMaxDevices || devices_[record.device].pci.empty()) return;
  Device& device = devices_[record.device];
  device.capabilities[record.detail] = bounded_text(record.text);
  if (record.value != 0) return;  // more follow
  std::string json = "{";
  for (std::size_t group = 0; group < device.capabilities.size(); ++group) {
    if (!device.capabilities[group].empty()) put_json(json, kCapabilityNames[group], device.capabilities[group]);
  }
  json += "}";
  if (std::exchange(device.told["capabilities"], json) == json) return;
  emit({.type = "capabilities",
        .monotonic_ns = record.monotonic_ns,
        .component = component(record.device),
        .name = {},
        .text = json});
}

void VendorReport::instance(const NoticeRecord& record) {
  if (record.device >= kMaxDevices || devices_[record.device].pci.empty()) return;
  Device& device = devices_[record.device];
  const std::pair key{record.detail, record.minor};
  const std::string uuid = record.value != 0 ? bounded_text(record.uuid) : "";
  if (std::exchange(device.instances[key], uuid) == uuid) return;
  std::string json = "{\"gi\":" + std::to_string(record.detail) + ",\"ci\":" + std::to_string(record.minor);
  put_json(json, "uuid", bounded_text(record.uuid));
  put_json(json, "name", bounded_text(record.name));
  emit({.type = "gpu_instance",
        .monotonic_ns = record.monotonic_ns,
        .component = "gpu_instance/" + device.pci + "/" + std::to_string(record.detail),
        .name = record.value != 0 ? "there" : "gone",
        .text = json + "}",
        .value = record.value});
}

void VendorReport::processes(const NoticeRecord& record) {
  if (record.device >= kMaxDevices || devices_[record.device].pci.empty()) return;
  const std::string text = bounded_text(record.text);
  if (std::exchange(devices_[record.device].told["processes"], text) == text) return;
  emit({.type = "processes",
        .monotonic_ns = record.monotonic_ns,
        .component = component(record.device),
        .name = {},
        .text = text,
        .value = record.value});
}

void VendorReport::event(const NoticeRecord& record) {
  recent_events_.remember(record);
  const bool xid = record.type == static_cast<std::uint32_t>(NoticeType::kXid);
  emit({.type = xid ? "xid" : "gpu_event",
        .monotonic_ns = record.monotonic_ns,
        .component = component(record.device),
        .name = bounded_text(record.name),
        .text = bounded_text(record.text),
        .value = record.value});
}

void VendorReport::event_once(const NoticeRecord& record) {
  if (!recent_events_.known(record)) event(record);
}

void VendorReport::part(const NoticeRecord& record) {
  const std::string text = bounded_text(record.text);
  if (std::exchange(parts_[bounded_text(record.name)], text) == text) return;
  emit({.type = "part_state",
        .monotonic_ns = record.monotonic_ns,
        .component = {},
        .name = bounded_text(record.name),
        .text = text,
        .value = record.value});
}

void VendorReport::tell_reset(std::uint32_t device, std::string_view name, std::string_view text,
                              std::int64_t monotonic_ns) {
  emit({.type = "gpu_reset",
        .monotonic_ns = monotonic_ns,
        .component = component(device),
        .name = std::string(name),
        .text = std::string(text)});
}

void VendorReport::watch_for_reset(const SampleRecord& record) {
  if (devices_[record.device].lost) {
    resets_.forget(record.device);
    tell_reset(record.device, "after_loss", "the device answers again after it was lost", record.monotonic_ns);
  }
  if (record.quantity != static_cast<std::uint32_t>(Quantity::kEnergy) || record.link != kNoLink) return;
  for (const ResetWatch::Reset& reset : resets_.energy(record.device, record.value)) {
    tell_reset(reset.device, reset.between_children ? "while_released" : "counter_restarted",
               "its energy counter starts again from a lower value", record.monotonic_ns);
  }
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
