// The memory that a vendor child and its supervisor share: two single-producer rings, the call slots, one control word.
// The child may have been corrupted by what it loaded, so the reader believes nothing that it did not check.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/vendor/calls.h"
#include "core/vendor/plausible.h"

namespace faultline {

inline constexpr std::uint64_t kRingMagic = 0x31676e69726c6166;  // "falring1"
inline constexpr std::uint32_t kRingVersion = 5;
inline constexpr std::uint32_t kSampleSlots = 4096;  // 15 ticks of 16 devices; the reader drains each tick
inline constexpr std::uint32_t kNoticeSlots = 256;
inline constexpr std::uint32_t kCallSlots = 4;
inline constexpr std::uint32_t kMaxDevices = 128;
inline constexpr std::uint32_t kNoDevice = 0xffffffff;
// In a call slot, in place of a seat: the call opens what the library has at this index, whatever device that is.
inline constexpr std::uint32_t kFirstIndex = 0x1000;
inline constexpr std::uint32_t kMaxLinks = 64;  // of one device
inline constexpr std::uint32_t kMaxInstances = 128;  // ids of MIG instances on one device are below
inline constexpr std::uint32_t kNoLink = 0xffffffff;
inline constexpr std::uint32_t kFirstInstance = 0x10000;  // in place of a link: the MIG instance with the id beyond this

struct SampleRecord {
  std::int64_t monotonic_ns;
  double value;
  std::uint32_t device;  // the child's seat for it (roster.h), like everywhere in the ring
  std::uint32_t quantity;
  std::uint32_t link = kNoLink;  // of the device, or kFirstInstance and up, or all of it
  std::uint32_t reserved = 0;
};
static_assert(sizeof(SampleRecord) == 32);

enum class NoticeType : std::uint32_t {
  kDevice = 1,   // who sits on a seat; `detail` is the index that the library gives it
  kState,
  kXid,
  kDeviceLost,
  kEvent,        // another event of the driver: `name`, `value`
  kCapability,   // `detail` is the Capability, `text` what came of it, `value` 1 when more of the device follow at once
  kInstance,     // a MIG instance: `uuid`, `detail` the GPU instance, `minor` the compute instance, `value` 1 there, 0 gone
  kProcesses,    // compute processes: `text` "[17,99:5]", as many as fit, `value` how many; 5 is the MIG instance
  kPart,         // a part of the child works or not: `name`, `text` how, `value` 0 or a code or measure
  kEnd,
};

// Strings are NUL-padded; device notices fill the identity, the others `name` and `text`.
struct NoticeRecord {
  std::int64_t monotonic_ns;
  double value;
  std::uint32_t type;
  std::uint32_t device;
  std::int32_t minor;
  std::uint32_t detail;
  std::int32_t module;        // slot on the baseboard, -1 unknown
  std::int32_t numa_node;     // -1 unknown
  std::int32_t architecture;  // NVML's number, -1 unknown
  std::int32_t reserved;
  char pci[32];
  char uuid[96];
  char name[96];
  char serial[32];
  char driver[80];
  char text[192];
};
static_assert(sizeof(NoticeRecord) == 576);

// What one thread of the child is inside of; start 0 = in no call.
struct CallSlot {
  std::atomic<std::int64_t> start_ns;
  std::atomic<std::uint64_t> what;  // call << 32 | device
};

struct RingCounters {
  alignas(64) std::atomic<std::uint64_t> head;  // written by the child
  std::atomic<std::uint64_t> lost;
  alignas(64) std::atomic<std::uint64_t> tail;  // written by the supervisor
};

struct RingLayout {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t size;
  std::atomic<std::uint64_t> ticks;        // complete rounds over all devices
  std::atomic<std::int64_t> interval_ns;   // written by the supervisor
  CallSlot calls[kCallSlots];
  RingCounters sample_counters;
  RingCounters notice_counters;
  SampleRecord samples[kSampleSlots];
  NoticeRecord notices[kNoticeSlots];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "shared between processes");

// Prepares fresh (zeroed) memory. Supervisor's side, before the child starts.
void ring_format(RingLayout& ring, std::int64_t interval_ns);
// Child's side: true when the memory is what this build understands.
bool ring_matches(const RingLayout& ring, std::size_t bytes);

// Producer. One thread at a time; false (and counted as lost) when full.
bool ring_push(RingLayout& ring, const SampleRecord& record);
bool ring_push(RingLayout& ring, const NoticeRecord& record);

struct RunningCall {
  std::int64_t start_ns = 0;
  VendorCall call = VendorCall::kEnd;
  std::uint32_t device = kNoDevice;  // seat
  std::uint32_t index = kNoDevice;   // of the library, where the call opens by it
};

// Consumer. Every index, length, number and string that comes out is within its bounds.
class RingReader {
 public:
  // `not_before_ns`: no honest record is older than this.
  RingReader(RingLayout& ring, std::int64_t not_before_ns) : ring_(ring), not_before_ns_(not_before_ns) {}

  // Fixes how far this drain goes in both rings: samples first, so that a device is known before its samples.
  void begin();
  bool next(NoticeRecord& out, std::int64_t now_ns);
  bool next(SampleRecord& out, std::int64_t now_ns);
  // The call that slot `index` is in; false when it is in none.
  bool call(std::uint32_t index, RunningCall& out) const;
  std::uint64_t ticks() const { return ring_.ticks.load(std::memory_order_acquire); }
  // Records that the child dropped because the ring was full.
  std::uint64_t lost() const;
  // Records or indices that no honest child writes.
  std::uint64_t corrupt() const { return corrupt_; }
  // What was wrong with the first of them, in words; empty while nothing was.
  const std::string& first_break() const { return first_break_; }

 private:
  std::string fault_of(const NoticeRecord& record, std::int64_t now_ns) const;
  std::string fault_of(const SampleRecord& record, std::int64_t now_ns) const;
  bool time_is_possible(std::int64_t ns, std::int64_t now_ns) const;
  std::string time_fault(std::int64_t ns, std::int64_t now_ns) const;
  void broke(std::string what);

  RingLayout& ring_;
  std::int64_t not_before_ns_;
  std::uint64_t sample_tail_ = 0, sample_end_ = 0, notice_tail_ = 0, notice_end_ = 0;
  std::uint64_t corrupt_ = 0;
  std::string first_break_;
};

// A NUL-padded field as clean text: stops at its end, drops control characters and anything that is not UTF-8.
std::string bounded_text(const char* field, std::size_t capacity);
template <std::size_t N>
std::string bounded_text(const char (&field)[N]) {
  return bounded_text(field, N);
}
template <std::size_t N>
void put_text(char (&field)[N], std::string_view text) {
  const std::size_t length = text.size() < N ? text.size() : N - 1;
  for (std::size_t i = 0; i < N; ++i) field[i] = i < length ? text[i] : '\0';
}

// True for `dddd:bb:dd.f` in lower-case hex with a domain of 4 to 8 digits.
bool is_pci_address(std::string_view text);

}  // namespace faultline
