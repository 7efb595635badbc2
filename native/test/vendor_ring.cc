// The shared ring: what goes in comes out in order, and whatever a corrupted child leaves there comes out within bounds.
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <thread>

#include "check.h"
#include "core/vendor/ring.h"

using namespace faultline;
using checks::test;

namespace {

constexpr std::int64_t kStart = 1'000;
constexpr std::int64_t kNow = 5'000'000'000;

std::unique_ptr<RingLayout> fresh_ring() {
  auto ring = std::make_unique<RingLayout>();
  ring_format(*ring, 500'000'000);
  return ring;
}

SampleRecord sample(std::uint32_t device, double value) {
  return {kStart + 1, value, device, static_cast<std::uint32_t>(Quantity::kEnergy)};
}

NoticeRecord device_notice(std::uint32_t device, std::string_view pci) {
  NoticeRecord record{};
  record.monotonic_ns = kStart + 1;
  record.type = static_cast<std::uint32_t>(NoticeType::kDevice);
  record.device = device;
  put_text(record.pci, pci);
  return record;
}

// Reads everything there is; false when anything came out that must not.
bool drain_is_bounded(RingReader& reader) {
  reader.begin();
  std::size_t samples = 0, notices = 0;
  bool good = true;
  NoticeRecord notice;
  while (reader.next(notice, kNow)) {
    ++notices;
    const bool is_device = notice.type == static_cast<std::uint32_t>(NoticeType::kDevice);
    good = good && notice.type >= 1 && notice.type < static_cast<std::uint32_t>(NoticeType::kEnd);
    good = good && (notice.device < kMaxDevices || (!is_device && notice.device == kNoDevice));
    good = good && std::isfinite(notice.value) && notice.monotonic_ns >= kStart;
    good = good && bounded_text(notice.text).size() <= sizeof notice.text;
    good = good && (!is_device || is_pci_address(bounded_text(notice.pci)));
    if (notice.type == static_cast<std::uint32_t>(NoticeType::kCapability)) {
      good = good && notice.detail < static_cast<std::uint32_t>(Capability::kEnd);
    }
    if (notice.type == static_cast<std::uint32_t>(NoticeType::kInstance)) {
      good = good && notice.detail < kMaxInstances && notice.minor >= 0 &&
             notice.minor < static_cast<std::int32_t>(kMaxInstances);
    }
  }
  SampleRecord record;
  while (reader.next(record, kNow)) {
    ++samples;
    good = good && record.device < kMaxDevices && record.quantity < static_cast<std::uint32_t>(Quantity::kEnd);
    good = good && std::isfinite(record.value) && record.monotonic_ns >= kStart;
    const auto quantity = static_cast<Quantity>(record.quantity);
    good = good && (record.link == kNoLink || (record.link < kMaxLinks && is_of_link(quantity)) ||
                    (record.link >= kFirstInstance && record.link < kFirstInstance + kMaxInstances && is_of_instance(quantity)));
  }
  RunningCall call;
  for (std::uint32_t slot = 0; slot < kCallSlots + 2; ++slot) {
    if (!reader.call(slot, call)) continue;
    good = good && slot < kCallSlots && call.call < VendorCall::kEnd && call.start_ns >= kStart;
    good = good && (call.device < kMaxDevices || call.device == kNoDevice);
  }
  return good && samples <= kSampleSlots && notices <= kNoticeSlots;
}

void ordinary_use() {
  test("records come out in the order they went in, and the ring wraps", [] {
    const auto ring = fresh_ring();
    RingReader reader(*ring, kStart);
    std::uint32_t written = 0, read = 0;
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 1000; ++i, ++written) CHECK(ring_push(*ring, sample(written % 8, written)));
      reader.begin();
      SampleRecord record;
      while (reader.next(record, kNow)) CHECK_EQ(record.value, static_cast<double>(read++));
    }
    CHECK_EQ(read, 20'000U);
    CHECK_EQ(reader.corrupt(), 0U);
    CHECK_EQ(reader.lost(), 0U);
  });

  test("a full ring refuses and counts, and what is in it stays whole", [] {
    const auto ring = fresh_ring();
    RingReader reader(*ring, kStart);
    for (std::uint32_t i = 0; i < kNoticeSlots; ++i) CHECK(ring_push(*ring, device_notice(1, "0000:1b:00.0")));
    CHECK(!ring_push(*ring, device_notice(2, "0000:1b:00.0")));
    CHECK_EQ(reader.lost(), 1U);
    reader.begin();
    NoticeRecord record;
    std::uint32_t count = 0;
    while (reader.next(record, kNow)) count += record.device == 1;
    CHECK_EQ(count, kNoticeSlots);
  });

  test("one thread writes while another reads", [] {
    constexpr std::uint32_t kCount = 200'000;
    const auto ring = fresh_ring();
    RingReader reader(*ring, kStart);
    std::thread writer([&ring] {
      for (std::uint32_t i = 0; i < kCount;) i += ring_push(*ring, sample(i % 8, i)) ? 1 : (std::this_thread::yield(), 0);
    });
    std::uint32_t expected = 0;
    while (expected < kCount) {
      reader.begin();
      SampleRecord record;
      while (reader.next(record, kNow)) {
        if (record.value != expected) CHECK_EQ(record.value, static_cast<double>(expected));
        ++expected;
      }
      std::this_thread::yield();
    }
    writer.join();
    CHECK_EQ(reader.corrupt(), 0U);
  });

  test("a call is seen while it lasts", [] {
    const auto ring = fresh_ring();
    RingReader reader(*ring, kStart);
    RunningCall call;
    CHECK(!reader.call(0, call));
    ring->calls[0].what = static_cast<std::uint64_t>(VendorCall::kFieldValues) << 32 | 3;
    ring->calls[0].start_ns = kStart + 7;
    CHECK(reader.call(0, call));
    CHECK_EQ(call.start_ns, kStart + 7);
    CHECK_EQ(call.device, 3U);
    CHECK(call.call == VendorCall::kFieldValues);
  });

  test("memory of another build is refused", [] {
    const auto ring = fresh_ring();
    CHECK(ring_matches(*ring, sizeof(RingLayout)));
    CHECK(!ring_matches(*ring, sizeof(RingLayout) - 1));
    ring->version = kRingVersion + 1;
    CHECK(!ring_matches(*ring, sizeof(RingLayout)));
  });
}

void hostile_use() {
  test("records that no child writes are dropped and counted", [] {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    SampleRecord bad[]{sample(kMaxDevices, 1), sample(kNoDevice, 1), sample(0, nan), sample(0, 1), sample(0, 1), sample(0, 1)};
    bad[3].quantity = static_cast<std::uint32_t>(Quantity::kEnd);
    bad[4].monotonic_ns = kStart - 1;
    bad[5].monotonic_ns = kNow + 10'000'000'000;
    for (const SampleRecord& each : bad) {
      const auto ring = fresh_ring();
      RingReader reader(*ring, kStart);
      ring_push(*ring, each);
      ring_push(*ring, sample(0, 42));
      reader.begin();
      SampleRecord record;
      CHECK(reader.next(record, kNow));
      CHECK_EQ(record.value, 42.0);
      CHECK_EQ(reader.corrupt(), 1U);
    }
  });

  test("the first thing that was wrong is named in words", [] {
    const auto said = [](auto write) {
      const auto ring = fresh_ring();
      RingReader reader(*ring, kStart);
      write(*ring);
      ring_push(*ring, sample(kMaxDevices, 1));
      reader.begin();
      NoticeRecord notice;
      while (reader.next(notice, kNow)) {
      }
      SampleRecord record;
      while (reader.next(record, kNow)) {
      }
      return reader.first_break();
    };
    const auto sampled = [&](SampleRecord record) { return said([&](RingLayout& ring) { ring_push(ring, record); }); };
    CHECK_EQ(sampled({kStart + 1, 4'294'967, 0, static_cast<std::uint32_t>(Quantity::kPower)}), std::string("power of 4294967.000000"));
    CHECK_EQ(sampled({kStart + 1, 1, 0, 777}), std::string("a sample of the unknown quantity 777"));
    CHECK_EQ(sampled({kStart - 1, 1, 0, 1}), std::string("a time before its own start"));
    CHECK_EQ(sampled({kNow * 2, 1, 0, 1}), std::string("a time in the future"));
    CHECK_EQ(said([](RingLayout& ring) { ring.notice_counters.head = 4711; }),
             std::string("its ring's head is at 4711, the last one read was 0"));
    CHECK_EQ(said([](RingLayout& ring) { ring_push(ring, device_notice(3, "0000:1b:00.x")); }),
             std::string("a device without a valid PCI address"));
  });

  test("a link that cannot be, and a link of what no link has, are dropped and counted", [] {
    SampleRecord bad[]{sample(0, 1), sample(0, 1)};
    bad[0].quantity = static_cast<std::uint32_t>(Quantity::kNvlinkState);
    bad[0].link = kMaxLinks;
    bad[1].link = 3;  // of a GPU's energy
    const auto ring = fresh_ring();
    RingReader reader(*ring, kStart);
    for (const SampleRecord& each : bad) ring_push(*ring, each);
    SampleRecord good = bad[0];
    good.link = kMaxLinks - 1;
    ring_push(*ring, good);
    reader.begin();
    SampleRecord record;
    CHECK(reader.next(record, kNow));
    CHECK_EQ(record.link, kMaxLinks - 1);
    CHECK(!reader.next(record, kNow));
    CHECK_EQ(reader.corrupt(), 2U);
  });

  test("an instance that cannot be, and one of what no instance has, are dropped and counted", [] {
    const auto ring = std::make_unique<RingLayout>();
    ring_format(*ring, 500'000'000);
    RingReader reader(*ring, 0);
    constexpr auto kErrors = static_cast<std::uint32_t>(Quantity::kEccSramUncorrected);
    constexpr auto kPower = static_cast<std::uint32_t>(Quantity::kPower);
    ring_push(*ring, SampleRecord{1, 1, 0, kErrors, kFirstInstance + kMaxInstances});
    ring_push(*ring, SampleRecord{1, 1, 0, kPower, kFirstInstance});
    ring_push(*ring, SampleRecord{1, 1, 0, kErrors, kFirstInstance - 1});
    ring_push(*ring, SampleRecord{1, 1, 0, kErrors, kFirstInstance + kMaxInstances - 1});
    reader.begin();
    SampleRecord record;
    CHECK(reader.next(record, 10));
    CHECK_EQ(record.link, kFirstInstance + kMaxInstances - 1);
    CHECK(!reader.next(record, 10));
    CHECK_EQ(reader.corrupt(), 3U);
  });

  test("groups and instances out of their range are dropped and counted", [] {
    const auto ring = fresh_ring();
    RingReader reader(*ring, kStart);
    NoticeRecord notice{};
    notice.monotonic_ns = kStart + 1;
    notice.type = static_cast<std::uint32_t>(NoticeType::kCapability);
    notice.detail = static_cast<std::uint32_t>(Capability::kEnd);
    ring_push(*ring, notice);
    notice.type = static_cast<std::uint32_t>(NoticeType::kInstance);
    notice.detail = kMaxInstances;
    ring_push(*ring, notice);
    notice.detail = 1;
    notice.minor = -1;
    ring_push(*ring, notice);
    notice.minor = 0;
    ring_push(*ring, notice);
    reader.begin();
    NoticeRecord out;
    CHECK(reader.next(out, kNow));
    CHECK(!reader.next(out, kNow));
    CHECK_EQ(reader.corrupt(), 3U);
  });

  test("an index that no producer reached is corruption, not a long read", [] {
    for (const std::uint64_t head : {std::uint64_t{kSampleSlots} + 1, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      const auto ring = fresh_ring();
      RingReader reader(*ring, kStart);
      ring->sample_counters.head = head;
      reader.begin();
      SampleRecord record;
      CHECK(!reader.next(record, kNow));
      CHECK_EQ(reader.corrupt(), 1U);
    }
  });

  test("the child's idea of the reader's position is not believed", [] {
    const auto ring = fresh_ring();
    RingReader reader(*ring, kStart);
    ring_push(*ring, sample(0, 1));
    ring->sample_counters.tail = 99'999;
    reader.begin();
    SampleRecord record;
    CHECK(reader.next(record, kNow));
    CHECK(!reader.next(record, kNow));
  });

  test("random bytes over the whole memory come out within bounds", [] {
    std::mt19937_64 random(20261127);
    for (int round = 0; round < 300; ++round) {
      const auto ring = fresh_ring();
      RingReader reader(*ring, kStart);
      auto* bytes = reinterpret_cast<unsigned char*>(ring.get());
      // Whole pages of noise, or a few flipped places in what was valid.
      const std::size_t places = round % 3 == 0 ? sizeof(RingLayout) : 2000;
      for (std::uint32_t i = 0; i < kNoticeSlots; ++i) ring_push(*ring, device_notice(i % 8, "0000:1b:00.0"));
      for (std::uint32_t i = 0; i < kSampleSlots; ++i) ring_push(*ring, sample(i % 8, i));
      for (std::size_t i = 0; i < places; ++i) {
        const std::size_t at = places == sizeof(RingLayout) ? i : random() % sizeof(RingLayout);
        bytes[at] = static_cast<unsigned char>(random());
      }
      if (round % 2 == 0) {  // let it get as far as the records
        ring->sample_counters.head = kSampleSlots;
        ring->notice_counters.head = kNoticeSlots;
      }
      CHECK(drain_is_bounded(reader));
      CHECK(drain_is_bounded(reader));
    }
  });

  test("text ends within its field and is clean UTF-8", [] {
    char full[8];
    std::memset(full, 'x', sizeof full);
    CHECK_EQ(bounded_text(full), std::string(8, 'x'));
    CHECK_EQ(bounded_text("a\tb\n\x7f" "c"), std::string("abc"));
    CHECK_EQ(bounded_text("\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5"), std::string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5"));
    CHECK_EQ(bounded_text("a\xff\xc0\xaf\xed\xa0\x80\xf5" "b"), std::string("ab"));
    const char cut[3]{'a', '\xe2', '\x82'};
    CHECK_EQ(bounded_text(cut), std::string("a"));
    // Controls of the upper half, and what turns the direction of the text around it.
    CHECK_EQ(bounded_text("a\xc2\x9b" "31m\xe2\x80\xae" "b\xe2\x81\xa6\xe2\x80\x8f"), std::string("a31mb"));
  });

  test("PCI addresses are taken in one form only", [] {
    for (const char* good : {"0000:1b:00.0", "10000:ab:1f.7", "ffffffff:00:00.0"}) CHECK(is_pci_address(good));
    for (const char* bad : {"", "0000:1B:00.0", "000:1b:00.0", "000000000:1b:00.0", "0000:1b:00", "0000:1b:00.8",
                            "0000:1b:00.0 ", "0000:1b-00.0", "../../etc/pass", "gggg:1b:00.0"}) {
      CHECK(!is_pci_address(bad));
    }
  });
}

}  // namespace

int main() {
  ordinary_use();
  hostile_use();
  return checks::result();
}
