// Fuzzes what a vendor child leaves in the shared memory: the input is a list of writes of a hostile child, and of drains.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "core/vendor/report.h"
#include "core/vendor/ring.h"
#include "fuzz/watching_sink.h"

namespace {

using namespace faultline;

constexpr std::int64_t kNow = 5'000'000'000;

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  void take(void* into, std::size_t size) {
    const std::size_t taken = std::min(size, left_);
    std::memcpy(into, data_, taken);
    data_ += taken;
    left_ -= taken;
  }
  std::uint8_t byte() {
    std::uint8_t value = 0;
    take(&value, 1);
    return value;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    take(&value, sizeof value);
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

// Types and devices that exist more often than chance has it; everything else as it comes.
NoticeRecord notice_of(Input& input) {
  NoticeRecord record{};
  record.monotonic_ns = kNow - 1;
  record.type = input.byte() % (static_cast<std::uint32_t>(NoticeType::kEnd) + 1);
  record.device = input.byte();
  if (record.device == 0xff) record.device = kNoDevice;
  record.detail = input.byte();
  record.minor = static_cast<std::int8_t>(input.byte());
  if (input.byte() % 8 == 0) input.take(&record.value, sizeof record.value);
  put_text(record.pci, "0000:1b:00.0");
  const auto field = [&](char* text, std::size_t size) { input.take(text, std::min<std::size_t>(input.byte(), size)); };
  field(record.pci, sizeof record.pci);
  field(record.uuid, sizeof record.uuid);
  field(record.name, sizeof record.name);
  field(record.text, sizeof record.text);
  return record;
}

void drain(RingReader& reader, VendorReport& report) {
  reader.begin();
  NoticeRecord notice;
  SampleRecord sample;
  std::size_t many = 0;
  while (reader.next(notice, kNow)) {
    WatchingSink::demand(++many <= kNoticeSlots);
    report.notice(notice);
  }
  while (reader.next(sample, kNow)) {
    WatchingSink::demand(++many <= kNoticeSlots + kSampleSlots && sample.device < kMaxDevices);
    report.sample(sample);
  }
  RunningCall call;
  for (std::uint32_t slot = 0; slot < kCallSlots; ++slot) {
    if (reader.call(slot, call)) WatchingSink::demand(call.call < VendorCall::kEnd);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto ring = std::make_unique<RingLayout>();
  ring_format(*ring, 500'000'000);
  VendorReport report(std::make_shared<WatchingSink>());
  RingReader reader(*ring, 1'000);
  Input input(data, size);
  while (!input.empty()) {
    switch (input.byte() % 8) {
      case 0: ring->sample_counters.head = input.number(); break;
      case 1: ring->notice_counters.head = input.number(); break;
      case 2: ring->sample_counters.tail = input.number(); break;
      case 3: ring->calls[input.byte() % kCallSlots].what = input.number(); break;
      case 4: ring->calls[input.byte() % kCallSlots].start_ns = static_cast<std::int64_t>(input.number()); break;
      case 5: {
        SampleRecord sample{kNow - 1, 0, input.byte(), input.byte()};
        const std::uint8_t part = input.byte();
        if (part % 4 == 0) sample.link = part / 4U;
        else if (part % 4 == 1) sample.link = kFirstInstance + part;
        input.take(&sample.value, sizeof sample.value);
        ring_push(*ring, sample);
        break;
      }
      case 6: ring_push(*ring, notice_of(input)); break;
      default: drain(reader, report); break;
    }
  }
  drain(reader, report);
  report.close();
  return 0;
}
