// The shared ring's producer and its suspicious consumer.
#include "core/vendor/ring.h"

#include <cmath>
#include <cstring>
#include <new>

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

// How far the reader may go; a head that no producer can have reached costs everything in between.
std::uint64_t checked_end(const RingCounters& counters, std::uint64_t& tail, std::uint32_t slots, std::uint64_t& corrupt) {
  const std::uint64_t head = counters.head.load(std::memory_order_acquire);
  if (head - tail > slots) {
    ++corrupt;
    tail = head;
  }
  return head;
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
    case NoticeType::kCapability:
      return record.detail < static_cast<std::uint32_t>(Capability::kEnd);
    case NoticeType::kInstance:
      return record.detail < kMaxInstances && record.minor >= 0 && record.minor < static_cast<std::int32_t>(kMaxInstances);
    default:
      return true;
  }
}

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
  sample_end_ = checked_end(ring_.sample_counters, sample_tail_, kSampleSlots, corrupt_);
  notice_end_ = checked_end(ring_.notice_counters, notice_tail_, kNoticeSlots, corrupt_);
}

bool RingReader::next(NoticeRecord& out, std::int64_t now_ns) {
  while (take(ring_.notice_counters, ring_.notices, notice_tail_, notice_end_, out)) {
    const bool is_device = out.type == static_cast<std::uint32_t>(NoticeType::kDevice);
    const bool known = out.type >= static_cast<std::uint32_t>(NoticeType::kDevice) &&
                       out.type < static_cast<std::uint32_t>(NoticeType::kEnd);
    if (known && device_is_possible(out.device, !is_device) && detail_is_possible(out) && std::isfinite(out.value) &&
        time_is_possible(out.monotonic_ns, now_ns) && (!is_device || is_pci_address(bounded_text(out.pci)))) {
      return true;
    }
    ++corrupt_;
  }
  return false;
}

bool RingReader::next(SampleRecord& out, std::int64_t now_ns) {
  while (take(ring_.sample_counters, ring_.samples, sample_tail_, sample_end_, out)) {
    if (device_is_possible(out.device, false) && out.quantity < static_cast<std::uint32_t>(Quantity::kEnd) &&
        link_is_possible(out.link, out.quantity) && std::isfinite(out.value) &&
        time_is_possible(out.monotonic_ns, now_ns)) {
      return true;
    }
    ++corrupt_;
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
  out = {start, static_cast<VendorCall>(call), device < kMaxDevices ? device : kNoDevice};
  return true;
}

std::uint64_t RingReader::lost() const {
  return ring_.sample_counters.lost.load(std::memory_order_relaxed) +
         ring_.notice_counters.lost.load(std::memory_order_relaxed);
}

bool RingReader::time_is_possible(std::int64_t ns, std::int64_t now_ns) const {
  return ns >= not_before_ns_ && ns <= now_ns + kClockSlackNs;
}

std::string bounded_text(const char* field, std::size_t capacity) {
  std::string text;
  for (std::size_t at = 0; at < capacity && field[at] != '\0';) {
    const std::size_t length = utf8_length(field + at, capacity - at);
    const auto byte = static_cast<unsigned char>(field[at]);
    if (length > 1 || (length == 1 && byte >= 0x20 && byte != 0x7f)) text.append(field + at, length);
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
