// What the supervisor tells of a child's records: named by address, each thing once, nothing after the end.
#include "check.h"
#include "collecting_sink.h"
#include "core/vendor/exclusions.h"
#include "core/vendor/report.h"

using namespace faultline;
using checks::test;

namespace {

constexpr std::int64_t kMinute = 60'000'000'000;

NoticeRecord record_of(NoticeType type, std::uint32_t device, double value = 0) {
  NoticeRecord record{};
  record.monotonic_ns = 1'000'000'000;
  record.type = static_cast<std::uint32_t>(type);
  record.device = device;
  record.value = value;
  record.minor = record.module = record.numa_node = record.architecture = -1;
  return record;
}

NoticeRecord device_of(std::uint32_t device, std::string_view pci, std::string_view name = "H100") {
  NoticeRecord record = record_of(NoticeType::kDevice, device);
  put_text(record.pci, pci);
  put_text(record.name, name);
  return record;
}

SampleRecord power_of(std::uint32_t device, double value) {
  return {2'000'000'000, value, device, static_cast<std::uint32_t>(Quantity::kPower)};
}

void reports() {
  test("samples are keyed by address, and those of unknown devices are dropped", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.sample(power_of(3, 1));
    report.notice(device_of(3, "0000:1b:00.0"));
    report.sample(power_of(3, 2));
    CHECK_EQ(sink->keys.size(), 1U);
    CHECK_EQ(sink->samples["gpu/0000:1b:00.0#power"].size(), 1U);
  });

  test("a device is told again only when its identity changed", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(device_of(0, "0000:1b:00.0", "a \"b\" \\"));
    report.notice(device_of(0, "0000:1b:00.0", "a \"b\" \\"));
    CHECK_EQ(sink->notices.size(), 1U);
    CHECK_EQ(sink->notices[0].text, std::string(R"({"index":0,"uuid":"","name":"a \"b\" \\","serial":"","minor":null,"driver":"","module":null,"numa_node":null,"architecture":null})"));
    report.notice(device_of(0, "0000:43:00.0"));
    CHECK_EQ(sink->notices.size(), 2U);
    CHECK_EQ(sink->notices[1].component, std::string("gpu/0000:43:00.0"));
    report.sample(power_of(0, 1));
    CHECK_EQ(sink->keys.back(), std::string("gpu/0000:43:00.0#power"));
  });

  test("a state is told once until another is", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    for (int i = 0; i < 5; ++i) report.state("absent", "library not found: x");
    report.state("running", "");
    report.state("absent", "library not found: x");
    CHECK_EQ(sink->notices.size(), 3U);
  });

  test("a lost device is told once until it gave a sample again", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(device_of(1, "0000:1b:00.0"));
    for (int i = 0; i < 3; ++i) report.notice(record_of(NoticeType::kDeviceLost, 1, 15));
    CHECK_EQ(sink->notices.size(), 2U);
    CHECK_EQ(report.take_lost().size(), 1U);
    CHECK(report.take_lost().empty());
    report.sample(power_of(1, 5));
    CHECK_EQ(report.take_seen().size(), 1U);
    report.notice(record_of(NoticeType::kDeviceLost, 1, 16));
    CHECK_EQ(sink->notices.size(), 3U);
  });

  test("an XID that two children saw is told once; repeats of one child are told", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(record_of(NoticeType::kXid, 1, 79));
    report.notice(record_of(NoticeType::kXid, 1, 79));
    CHECK_EQ(sink->notices.size(), 2U);
    report.xid_once(record_of(NoticeType::kXid, 1, 79));
    CHECK_EQ(sink->notices.size(), 2U);
    report.xid_once(record_of(NoticeType::kXid, 1, 48));
    CHECK_EQ(sink->notices.size(), 3U);
  });

  test("an XID whose device is unknown names none", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(record_of(NoticeType::kXid, kNoDevice, 79));
    report.notice(record_of(NoticeType::kXid, 5, 79));
    CHECK_EQ(sink->notices[0].component, std::string());
    CHECK_EQ(sink->notices[1].component, std::string());
  });

  test("after closing, only the end was told", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(device_of(1, "0000:1b:00.0"));
    report.close();
    report.close();
    report.sample(power_of(1, 5));
    report.state("running", "");
    CHECK_EQ(sink->notices.size(), 2U);
    CHECK_EQ(sink->notices[1].name, std::string("stopped"));
    CHECK(sink->samples.empty());
  });
}

void exclusions() {
  test("a hung device is left out by address and index until its pause is over", [] {
    Exclusions list(kMinute);
    CHECK_EQ(list.argument(), std::string("-"));
    CHECK(!list.next_due_ns());
    list.add("0000:1b:00.0", 0, true, 0);
    list.add("", 5, true, 1);
    CHECK_EQ(list.argument(), std::string("0000:1b:00.0@0,@5"));
    CHECK_EQ(list.next_due_ns().value_or(-1), kMinute);
    CHECK(!list.lift_due(kMinute - 1));
    CHECK(list.lift_due(kMinute));
    CHECK_EQ(list.argument(), std::string("@5"));
  });

  test("each failure doubles the pause, up to an hour", [] {
    Exclusions list(kMinute);
    std::int64_t now = 0, pause = 0;
    for (int i = 0; i < 12; ++i) {
      list.add("0000:1b:00.0", 0, true, now);
      pause = *list.next_due_ns() - now;
      now = *list.next_due_ns();
      CHECK(list.lift_due(now));
    }
    CHECK_EQ(pause, 60 * kMinute);
  });

  test("a device that answers is forgotten, its pause with it", [] {
    Exclusions list(kMinute);
    list.add("0000:1b:00.0", 0, true, 0);
    list.forget("0000:1b:00.0", 0);  // not tried yet: a sample from before the hang
    CHECK(list.next_due_ns().has_value());
    list.lift_due(kMinute);
    list.forget("0000:1b:00.0", 0);
    list.add("0000:1b:00.0", 0, true, kMinute);
    CHECK_EQ(list.next_due_ns().value_or(-1), 2 * kMinute);
  });

  test("a lost device is tried again without being left out meanwhile", [] {
    Exclusions list(kMinute);
    list.add("0000:1b:00.0", 0, false, 0);
    CHECK_EQ(list.argument(), std::string("-"));
    CHECK_EQ(list.next_due_ns().value_or(-1), kMinute);
  });

  test("what a failed attempt had lifted is left out again", [] {
    Exclusions list(kMinute);
    list.add("0000:1b:00.0", 0, true, 0);
    list.lift_due(kMinute);
    CHECK(!list.next_due_ns());
    list.return_lifted(kMinute);
    CHECK_EQ(list.argument(), std::string("0000:1b:00.0@0"));
    CHECK_EQ(list.next_due_ns().value_or(-1), 3 * kMinute);
  });
}

}  // namespace

int main() {
  reports();
  exclusions();
  return checks::result();
}
