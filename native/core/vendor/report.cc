// Names devices by PCI address and says each thing once.
#include "core/vendor/report.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/clock.h"

namespace faultline {
namespace {

constexpr SeriesId kNotAsked = 0xfffffffe;
constexpr std::size_t kMostParts = 16;
constexpr std::size_t kMostResetsAtOnce = 2 * std::size_t{kMaxDevices};

constexpr bool is_instance(std::uint32_t link) { return link >= kFirstInstance && link != kNoLink; }

NoticeDetail number_or_none(std::int32_t value) {
  if (value < 0) return std::monostate{};
  return static_cast<double>(value);
}

NoticeDetails identity_of(const NoticeRecord& record) {
  return {{"index", static_cast<double>(record.detail)},
          {"uuid", bounded_text(record.uuid)},
          {"model", bounded_text(record.name)},
          {"serial", bounded_text(record.serial)},
          {"driver", bounded_text(record.driver)},
          {"minor", number_or_none(record.minor)},
          {"module", number_or_none(record.module)},
          {"numaNode", number_or_none(record.numa_node)},
          {"architecture", number_or_none(record.architecture)}};
}

// "[17,99:5]"; nothing where a damaged child wrote something else. The list of instances is as long as that of pids, with
// kMaxInstances where a process is on none, and is missing where none is on any.
NoticeDetails processes_in(std::string_view text) {
  const NoticeDetails nothing{{"pids", std::monostate{}}};
  if (!text.starts_with('[') || !text.ends_with(']')) return nothing;
  std::vector<std::uint32_t> pids, instances;
  bool split = false;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (at < end) {
    std::uint32_t pid = 0;
    auto [next, error] = std::from_chars(at, end, pid);
    if (error != std::errc()) return nothing;
    std::uint32_t instance = kMaxInstances;
    if (next != end && *next == ':') {
      const auto [past, wrong] = std::from_chars(next + 1, end, instance);
      if (wrong != std::errc() || instance >= kMaxInstances) return nothing;
      next = past;
      split = true;
    }
    if (next != end && (*next != ',' || next + 1 == end)) return nothing;
    pids.push_back(pid);
    instances.push_back(instance);
    at = next == end ? end : next + 1;
  }
  NoticeDetails found{{"pids", std::move(pids)}};
  if (split) found.emplace_back("instances", std::move(instances));
  return found;
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
  Device* const device = seated(record.device);
  if (device == nullptr) return;
  watch_for_reset(*device, record);
  const std::lock_guard lock(mutex_);
  if (sink_ == nullptr) return;
  const SeriesId series = series_of(*device, record.link, record.quantity);
  if (!device->sampled) newly_seen_.push_back({device->pci, device->index});
  device->sampled = true;
  device->lost = false;
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

void VendorReport::notice(const NoticeRecord& record, std::string_view pci) {
  switch (static_cast<NoticeType>(record.type)) {
    case NoticeType::kDevice:
      return device(record);
    case NoticeType::kState:
      return state(bounded_text(record.name), bounded_text(record.text), record.value);
    case NoticeType::kXid:
    case NoticeType::kEvent:
      return event(record, component(record.device, pci));
    case NoticeType::kPart:
      return part(record);
    case NoticeType::kDeviceLost:
      return device_lost(record, pci);
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

void VendorReport::child_began() {
  believed();  // the last one ended without a break
  resets_.new_child();
  seats_.fill(nullptr);
  for (auto& [pci, device] : devices_) device.seated = device.lost_by_child = device.sampled = false;
}

void VendorReport::believed() {
  for (Notice& notice : std::exchange(resets_to_confirm_, {})) emit(std::move(notice));
}

void VendorReport::disbelieved(std::int64_t until_ns) {
  resets_to_confirm_.clear();
  resets_.clear();
  no_resets_until_ns_ = until_ns;
}

// A host has few devices; a child that names ever others costs no more memory than many.
void VendorReport::make_room() {
  if (devices_.size() < kMaxDevices) return;
  std::erase_if(devices_, [](const auto& entry) { return !entry.second.seated; });
}

void VendorReport::device(const NoticeRecord& record) {
  const std::string pci = bounded_text(record.pci);
  NoticeDetails identity = identity_of(record);
  auto found = devices_.find(pci);
  if (found == devices_.end()) {
    make_room();
    if (devices_.size() >= kMaxDevices) return;
    found = devices_.try_emplace(pci).first;
    found->second.pci = pci;
  }
  Device& device = found->second;
  seats_[record.device] = &device;
  device.seated = true;
  device.sampled = false;
  device.index = record.detail;
  lost_unnamed_.erase(record.detail);
  if (device.identity == identity) return;  // a successor found what its predecessor had
  device.identity = identity;
  emit({.type = "device",
        .monotonic_ns = record.monotonic_ns,
        .component = "gpu/" + pci,
        .name = {},
        .text = {},
        .details = std::move(identity)});
}

void VendorReport::device_lost(const NoticeRecord& record, std::string_view pci) {
  const std::string call = bounded_text(record.name);
  const bool held = !opens_device(call);
  const auto index = static_cast<std::uint32_t>(record.minor);
  Device* device = seated(record.device);
  if (const auto known = devices_.find(pci); device == nullptr && known != devices_.end()) device = &known->second;
  const std::string address = device != nullptr ? device->pci : std::string(pci);
  const auto noted = std::ranges::find_if(
      newly_lost_, [&](const Lost& lost) { return lost.pci == address && (!address.empty() || lost.index == index); });
  if (noted != newly_lost_.end()) noted->held = held;
  else if (newly_lost_.size() < kMaxDevices) newly_lost_.push_back({address, index, held});
  if (device != nullptr) {
    device->lost_by_child = true;
    if (std::exchange(device->lost, true)) return;
  } else if (pci.empty() && (lost_unnamed_.size() >= kMaxDevices || !lost_unnamed_.insert(index).second)) {
    return;
  }
  emit({.type = "device_lost",
        .monotonic_ns = record.monotonic_ns,
        .component = component(record.device, pci),
        .name = call,
        .text = index < kMaxDevices ? "index " + std::to_string(index) : std::string(),
        .value = record.value});
}

void VendorReport::listed(const std::function<bool(const std::string&)>& kept) {
  std::vector<std::string> gone;
  for (const auto& [pci, device] : devices_) {
    if (!device.seated && !device.lost_by_child && !kept(pci)) gone.push_back(pci);
  }
  for (const std::string& pci : gone) {
    devices_.erase(pci);
    resets_.forget(pci);
    emit({.type = "device_gone", .component = "gpu/" + pci, .name = {}, .text = "the driver does not list it any more"});
  }
}

std::vector<std::string> VendorReport::addresses() const {
  std::vector<std::string> addresses;
  for (const auto& [pci, device] : devices_) addresses.push_back(pci);
  return addresses;
}

void VendorReport::capability(const NoticeRecord& record) {
  if (seated(record.device) == nullptr) return;
  Device& device = *seated(record.device);
  device.capabilities[record.detail] = bounded_text(record.text);
  if (record.value != 0) return;  // more follow
  NoticeDetails groups;
  for (std::size_t group = 0; group < device.capabilities.size(); ++group) {
    if (!device.capabilities[group].empty()) groups.emplace_back(kCapabilityNames[group], device.capabilities[group]);
  }
  if (std::exchange(device.groups, groups) == groups) return;
  emit({.type = "capabilities",
        .monotonic_ns = record.monotonic_ns,
        .component = component(record.device, {}),
        .name = {},
        .text = {},
        .details = std::move(groups)});
}

void VendorReport::instance(const NoticeRecord& record) {
  if (seated(record.device) == nullptr) return;
  Device& device = *seated(record.device);
  const std::pair key{record.detail, record.minor};
  const std::string uuid = record.value != 0 ? bounded_text(record.uuid) : "";
  if (std::exchange(device.instances[key], uuid) == uuid) return;
  emit({.type = "gpu_instance",
        .monotonic_ns = record.monotonic_ns,
        .component = "gpu_instance/" + device.pci + "/" + std::to_string(record.detail),
        .name = record.value != 0 ? "there" : "gone",
        .text = {},
        .value = record.value,
        .details = {{"gpuInstance", static_cast<double>(record.detail)},
                    {"computeInstance", static_cast<double>(record.minor)},
                    {"uuid", bounded_text(record.uuid)},
                    {"profile", bounded_text(record.name)}}});
}

void VendorReport::processes(const NoticeRecord& record) {
  if (seated(record.device) == nullptr) return;
  const std::string text = bounded_text(record.text);
  if (std::exchange(seated(record.device)->processes, text) == text) return;
  emit({.type = "processes",
        .monotonic_ns = record.monotonic_ns,
        .component = component(record.device, {}),
        .name = {},
        .text = {},
        .value = record.value,
        .details = processes_in(text)});
}

void VendorReport::event(const NoticeRecord& record, std::string component) {
  recent_events_.remember(record, component);
  const bool xid = record.type == static_cast<std::uint32_t>(NoticeType::kXid);
  emit({.type = xid ? "xid" : "gpu_event",
        .monotonic_ns = record.monotonic_ns,
        .component = std::move(component),
        .name = bounded_text(record.name),
        .text = bounded_text(record.text),
        .value = record.value});
}

void VendorReport::event_once(const NoticeRecord& record, std::string_view pci) {
  std::string whose = component(record.device, pci);
  if (!recent_events_.known(record, whose)) event(record, std::move(whose));
}

void VendorReport::part(const NoticeRecord& record) {
  const std::string text = bounded_text(record.text);
  if (parts_.size() >= kMostParts && !parts_.contains(bounded_text(record.name))) return;
  if (std::exchange(parts_[bounded_text(record.name)], text) == text) return;
  emit({.type = "part_state",
        .monotonic_ns = record.monotonic_ns,
        .component = {},
        .name = bounded_text(record.name),
        .text = text,
        .value = record.value});
}

void VendorReport::reset(const std::string& pci, std::string_view name, std::string_view text,
                         std::int64_t monotonic_ns) {
  if (monotonic_ns < no_resets_until_ns_ || resets_to_confirm_.size() >= kMostResetsAtOnce) return;
  resets_to_confirm_.push_back({.type = "gpu_reset",
                                .monotonic_ns = monotonic_ns,
                                .component = "gpu/" + pci,
                                .name = std::string(name),
                                .text = std::string(text)});
}

void VendorReport::watch_for_reset(const Device& device, const SampleRecord& record) {
  if (device.lost) {
    resets_.forget(device.pci);
    reset(device.pci, "after_loss", "the device answers again after it was lost", record.monotonic_ns);
  }
  if (record.quantity != static_cast<std::uint32_t>(Quantity::kEnergy) || record.link != kNoLink) return;
  for (const ResetWatch::Reset& seen : resets_.energy(device.pci, record.value)) {
    reset(seen.device, seen.between_children ? "while_released" : "counter_restarted",
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

void VendorReport::call_stalled(std::string_view pci, std::uint32_t index, std::string_view call, double stalled_ms) {
  emit({.type = "call_stalled",
        .component = pci.empty() ? "" : "gpu/" + std::string(pci),
        .name = std::string(call),
        .text = index != kNoDevice ? "index " + std::to_string(index) : "",
        .value = stalled_ms});
}

void VendorReport::child_exit(std::string_view name, std::string_view text, double value) {
  emit({.type = "child_exit", .component = {}, .name = std::string(name), .text = std::string(text), .value = value});
}

std::string VendorReport::component(std::uint32_t seat, std::string_view pci) const {
  if (!pci.empty()) return "gpu/" + std::string(pci);
  const Device* const device = seated(seat);
  return device == nullptr ? "" : "gpu/" + device->pci;
}

}  // namespace faultline
