// Fills records and rings the supervisor's bell.
#include "vendor/reporter.h"

#include <unistd.h>

#include "core/clock.h"

namespace faultline {
namespace {

NoticeRecord record_of(NoticeType type, std::uint32_t device) {
  NoticeRecord record{};
  record.monotonic_ns = monotonic_now();
  record.type = static_cast<std::uint32_t>(type);
  record.device = device;
  record.minor = record.module = record.numa_node = record.architecture = -1;
  return record;
}

}  // namespace

void Reporter::sample(std::uint32_t device, Quantity quantity, std::int64_t monotonic_ns, double value,
                      std::uint32_t link) {
  const std::lock_guard lock(mutex_);
  ring_push(ring_, SampleRecord{monotonic_ns, value, device, static_cast<std::uint32_t>(quantity), link});
}

void Reporter::device(const DeviceIdentity& identity, std::string_view driver) {
  NoticeRecord record = record_of(NoticeType::kDevice, identity.seat);
  record.detail = identity.index;
  record.minor = identity.minor;
  record.module = identity.module;
  record.numa_node = identity.numa_node;
  record.architecture = identity.architecture;
  put_text(record.pci, identity.pci);
  put_text(record.uuid, identity.uuid);
  put_text(record.name, identity.name);
  put_text(record.serial, identity.serial);
  put_text(record.driver, driver);
  push(record);
}

void Reporter::state(std::string_view name, std::string_view text, double value) {
  NoticeRecord record = record_of(NoticeType::kState, kNoDevice);
  put_text(record.name, name);
  put_text(record.text, text);
  record.value = value;
  push(record);
}

void Reporter::xid(std::uint32_t device, std::uint64_t number, std::string_view text) {
  NoticeRecord record = record_of(NoticeType::kXid, device);
  put_text(record.text, text);
  record.value = static_cast<double>(number);
  push(record);
}

void Reporter::device_lost(std::uint32_t device, std::string_view call, int code, std::uint32_t index) {
  NoticeRecord record = record_of(NoticeType::kDeviceLost, device);
  put_text(record.name, call);
  record.minor = static_cast<std::int32_t>(index);
  record.value = code;
  push(record);
}

void Reporter::event(std::uint32_t device, std::string_view name, double value, std::string_view text) {
  NoticeRecord record = record_of(NoticeType::kEvent, device);
  put_text(record.name, name);
  put_text(record.text, text);
  record.value = value;
  push(record);
}

void Reporter::part(std::string_view name, std::string_view text, double value) {
  NoticeRecord record = record_of(NoticeType::kPart, kNoDevice);
  put_text(record.name, name);
  put_text(record.text, text);
  record.value = value;
  push(record);
}

void Reporter::capability(std::uint32_t device, Capability group, std::string_view text, bool more) {
  NoticeRecord record = record_of(NoticeType::kCapability, device);
  record.detail = static_cast<std::uint32_t>(group);
  put_text(record.text, text);
  record.value = more ? 1 : 0;
  push(record);
}

void Reporter::instance(std::uint32_t device, const MigInstance& instance, bool there) {
  NoticeRecord record = record_of(NoticeType::kInstance, device);
  record.detail = instance.gpu_instance;
  record.minor = static_cast<std::int32_t>(instance.compute_instance);
  put_text(record.uuid, instance.uuid);
  put_text(record.name, instance.name);
  record.value = there ? 1 : 0;
  push(record);
}

void Reporter::processes(std::uint32_t device, std::string_view pids, unsigned count) {
  NoticeRecord record = record_of(NoticeType::kProcesses, device);
  put_text(record.text, pids);
  record.value = count;
  push(record);
}

void Reporter::tick() {
  ring_.ticks.fetch_add(1, std::memory_order_release);
  wake();
}

void Reporter::push(const NoticeRecord& record) {
  {
    const std::lock_guard lock(mutex_);
    ring_push(ring_, record);
  }
  wake();
}

void Reporter::wake() {
  const std::uint64_t one = 1;
  // A full counter means that the supervisor has a wake-up pending already.
  [[maybe_unused]] const auto written = write(wake_fd_, &one, sizeof one);
}

}  // namespace faultline
