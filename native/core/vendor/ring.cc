// The shared ring's producer and its suspicious consumer.
#include "core/vendor/ring.h"

#include <cmath>
#include <cstring>
#include <new>
#include <utility>

namespace faultline {
namespace {

constexpr std::int64_t kClockSlackNs = 1'000'000'000;

template <class Record, std::uint32_t Slots>
bool push(RingCounters& counters, Record (&records)[Slots], const Record& record) {
  const std::uint64_t head = counters.head.load(std::memory_order_relaxed);
  if (head - counters.tail.load(std::memory_order_acquire) >= Slots) {
    counters.lost.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  records[head % Slots] = record;
  counters.head.store(head + 1, std::memory_order_release);
  return true;
}

template <class Record, std::uint32_t Slots>
bool take(RingCounters& counters, Record (&records)[Slots], std::uint64_t& tail, std::uint64_t end, Record& out) {
  if (tail == end) return false;
  std::memcpy(&out, &records[tail % Slots], sizeof(Record));  // a private copy: what is checked is what is used
  counters.tail.store(++tail, std::memory_order_release);
  return true;
}

bool device_is_possible(std::uint32_t device, bool may_be_none) {
  return device < kMaxDevices || (may_be_none && device == kNoDevice);
}

bool link_is_possible(std::uint32_t link, std::uint32_t quantity) {
  const auto which = static_cast<Quantity>(quantity);
  if (link == kNoLink || (link < kMaxLinks && is_of_link(which))) return true;
  return link >= kFirstInstance && link - kFirstInstance < kMaxInstances && is_of_instance(which);
}

bool detail_is_possible(const NoticeRecord& record) {
  switch (static_cast<NoticeType>(record.type)) {
    case NoticeType::kDevice:
      return record.detail < kMaxDevices;
    case NoticeType::kCapability:
      return record.detail < static_cast<std::uint32_t>(Capability::kEnd);
    case NoticeType::kInstance:
      return record.detail < kMaxInstances && record.minor >= 0 && record.minor < static_cast<std::int32_t>(kMaxInstances);
    default:
      return true;
  }
}

std::string with(const char* what, std::uint64_t number) { return what + std::to_string(number); }

// Length of the UTF-8 sequence at `at`, 0 when it is none.
std::size_t utf8_length(const char* at, std::size_t left) {
  const auto lead = static_cast<unsigned char>(*at);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length == 0 || length > left) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(at[i]) & 0xc0) != 0x80) return 0;
  }
  const auto second = length > 1 ? static_cast<unsigned char>(at[1]) : 0;
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate_or_beyond = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
  return overlong || surrogate_or_beyond ? 0 : length;
}

// Controls, and the marks that turn the direction of the text around them (U+200E, U+200F, U+202A to E, U+2066 to 9).
bool is_control(const char* at, std::size_t length) {
  const auto byte = [at](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  if (length == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (length == 2) return byte(0) == 0xc2 && byte(1) < 0xa0;
  if (length != 3 || byte(0) != 0xe2) return false;
  if (byte(1) == 0x80) return byte(2) == 0x8e || byte(2) == 0x8f || (byte(2) >= 0xaa && byte(2) <= 0xae);
  return byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;
}

}  // namespace

void ring_format(RingLayout& ring, std::int64_t interval_ns) {
  new (&ring) RingLayout{};
  ring.version = kRingVersion;
  ring.size = sizeof(RingLayout);
  ring.interval_ns.store(interval_ns, std::memory_order_relaxed);
  ring.magic = kRingMagic;
}

bool ring_matches(const RingLayout& ring, std::size_t bytes) {
  return bytes >= sizeof(RingLayout) && ring.magic == kRingMagic && ring.version == kRingVersion &&
         ring.size == sizeof(RingLayout);
}

bool ring_push(RingLayout& ring, const SampleRecord& record) { return push(ring.sample_counters, ring.samples, record); }
bool ring_push(RingLayout& ring, const NoticeRecord& record) { return push(ring.notice_counters, ring.notices, record); }

void RingReader::begin() {
  // How far this drain may go; a head that no producer can have reached costs everything in between.
  const auto end_of = [this](const RingCounters& counters, std::uint64_t& tail, std::uint32_t slots) {
    const std::uint64_t head = counters.head.load(std::memory_order_acquire);
    if (head - tail > slots) {
      broke("its ring's head is at " + std::to_string(head) + ", the last one read was " + std::to_string(tail));
      tail = head;
    }
    return head;
  };
  sample_end_ = end_of(ring_.sample_counters, sample_tail_, kSampleSlots);
  notice_end_ = end_of(ring_.notice_counters, notice_tail_, kNoticeSlots);
}

void RingReader::broke(std::string what) {
  ++corrupt_;
  if (first_break_.empty()) first_break_ = std::move(what);
}

std::string RingReader::fault_of(const NoticeRecord& record, std::int64_t now_ns) const {
  const bool is_device = record.type == static_cast<std::uint32_t>(NoticeType::kDevice);
  if (record.type < static_cast<std::uint32_t>(NoticeType::kDevice) ||
      record.type >= static_cast<std::uint32_t>(NoticeType::kEnd)) {
    return with("a notice of the unknown type ", record.type);
  }
  if (!device_is_possible(record.device, !is_device)) return with("a notice of device number ", record.device);
  if (!detail_is_possible(record)) return with("a notice with the impossible detail ", record.detail);
  if (!std::isfinite(record.value)) return with("a notice whose value is not a number, of type ", record.type);
  if (is_device && !is_pci_address(bounded_text(record.pci))) return "a device without a valid PCI address";
  return time_fault(record.monotonic_ns, now_ns);
}

std::string RingReader::fault_of(const SampleRecord& record, std::int64_t now_ns) const {
  if (!device_is_possible(record.device, false)) return with("a sample of device number ", record.device);
  if (record.quantity >= static_cast<std::uint32_t>(Quantity::kEnd)) {
    return with("a sample of the unknown quantity ", record.quantity);
  }
  const std::string name(kQuantityNames[record.quantity]);
  if (!link_is_possible(record.link, record.quantity)) return name + with(" of the impossible link ", record.link);
  // The child leaves these out itself, so it is no longer the child that writes.
  if (!is_plausible(static_cast<Quantity>(record.quantity), record.value)) {
    return name + " of " + std::to_string(record.value);
  }
  return time_fault(record.monotonic_ns, now_ns);
}

bool RingReader::next(NoticeRecord& out, std::int64_t now_ns) {
  while (take(ring_.notice_counters, ring_.notices, notice_tail_, notice_end_, out)) {
    std::string fault = fault_of(out, now_ns);
    if (fault.empty()) return true;
    broke(std::move(fault));
  }
  return false;
}

bool RingReader::next(SampleRecord& out, std::int64_t now_ns) {
  while (take(ring_.sample_counters, ring_.samples, sample_tail_, sample_end_, out)) {
    if (device_is_possible(out.device, false) && out.quantity < static_cast<std::uint32_t>(Quantity::kEnd) &&
        link_is_possible(out.link, out.quantity) && is_plausible(static_cast<Quantity>(out.quantity), out.value) &&
        time_is_possible(out.monotonic_ns, now_ns)) {
      return true;
    }
    broke(fault_of(out, now_ns));
  }
  return false;
}

bool RingReader::call(std::uint32_t index, RunningCall& out) const {
  if (index >= kCallSlots) return false;
  const CallSlot& slot = ring_.calls[index];
  const std::int64_t start = slot.start_ns.load(std::memory_order_acquire);
  if (start < not_before_ns_) return false;
  const std::uint64_t what = slot.what.load(std::memory_order_acquire);
  if (slot.start_ns.load(std::memory_order_acquire) != start) return false;  // it moved on, so it is not stuck
  const auto call = static_cast<std::uint32_t>(what >> 32);
  if (call >= static_cast<std::uint32_t>(VendorCall::kEnd)) return false;
  const auto device = static_cast<std::uint32_t>(what);
  const bool by_index = device >= kFirstIndex && device < kFirstIndex + kMaxDevices;
  out = {start, static_cast<VendorCall>(call), device < kMaxDevices ? device : kNoDevice,
         by_index ? device - kFirstIndex : kNoDevice};
  return true;
}

std::uint64_t RingReader::lost() const {
  return ring_.sample_counters.lost.load(std::memory_order_relaxed) +
         ring_.notice_counters.lost.load(std::memory_order_relaxed);
}

bool RingReader::time_is_possible(std::int64_t ns, std::int64_t now_ns) const {
  return ns >= not_before_ns_ && ns <= now_ns + kClockSlackNs;
}

std::string RingReader::time_fault(std::int64_t ns, std::int64_t now_ns) const {
  if (time_is_possible(ns, now_ns)) return {};
  return ns < not_before_ns_ ? "a time before its own start" : "a time in the future";
}

std::string bounded_text(const char* field, std::size_t capacity) {
  std::string text;
  for (std::size_t at = 0; at < capacity && field[at] != '\0';) {
    const std::size_t length = utf8_length(field + at, capacity - at);
    if (length > 0 && !is_control(field + at, length)) text.append(field + at, length);
    at += length == 0 ? 1 : length;
  }
  return text;
}

bool is_pci_address(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon < 4 || colon > 8 || text.size() != colon + 8) return false;
  if (text[colon + 3] != ':' || text[colon + 6] != '.') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool separator = i == colon || i == colon + 3 || i == colon + 6;
    if (!separator && !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return text[colon + 7] >= '0' && text[colon + 7] <= '7';
}

}  // namespace faultline
