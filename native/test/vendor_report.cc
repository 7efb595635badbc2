// What the supervisor tells of a child's records: named by address, each thing once, nothing after the end.
#include <cstdio>

#include "check.h"
#include "collecting_sink.h"
#include "core/vendor/report.h"

using namespace faultline;
using checks::test;

namespace {

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
  record.detail = device;
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
    CHECK_EQ(sink->keys().size(), 1U);
    CHECK_EQ(sink->samples("gpu/0000:1b:00.0#power").size(), 1U);
  });

  test("samples of an instance and of a link are theirs and not the GPU's", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(device_of(3, "0000:1b:00.0"));
    constexpr auto kErrors = static_cast<std::uint32_t>(Quantity::kEccSramUncorrected);
    report.sample({2'000'000'000, 4, 3, kErrors, kFirstInstance + 127});
    report.sample({2'000'000'000, 5, 3, kErrors});
    report.sample({2'000'000'000, 1, 3, static_cast<std::uint32_t>(Quantity::kNvlinkState), 17});
    report.sample({2'000'000'001, 6, 3, kErrors, kFirstInstance + 127});
    CHECK_EQ(sink->samples("gpu_instance/0000:1b:00.0/127#ecc_sram_uncorrected").size(), 2U);
    CHECK_EQ(sink->samples("gpu/0000:1b:00.0#ecc_sram_uncorrected").size(), 1U);
    CHECK_EQ(sink->samples("nvlink/0000:1b:00.0/17#nvlink_state").size(), 1U);
    CHECK_EQ(sink->keys().size(), 3U);
  });

  test("the processes of a damaged child's list are none", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(device_of(0, "0000:1b:00.0"));
    const auto pids_of = [&](std::string_view text) {
      NoticeRecord record = record_of(NoticeType::kProcesses, 0, 2);
      put_text(record.text, text);
      report.notice(record);
      return sink->notices().back().details;
    };
    using Pids = std::vector<std::uint32_t>;
    CHECK(pids_of("[7,31]") == (NoticeDetails{{"pids", Pids{7, 31}}}));
    CHECK(pids_of("[]") == (NoticeDetails{{"pids", Pids{}}}));
    CHECK(pids_of("[7:5,7:127,31]") == (NoticeDetails{{"pids", Pids{7, 7, 31}}, {"instances", Pids{5, 127, 128}}}));
    for (const char* const broken : {"[7:]", "[7:128]", "[7:5", "[:5]", "[7:5:6]", "[7:-1]"})
      CHECK(pids_of(broken) == (NoticeDetails{{"pids", std::monostate{}}}));
    for (const char* const broken : {"", "[", "[1,]", "[,1]", "[1", "1]", "[a]", "[1 2]", "[99999999999]", "[-1]"})
      CHECK(pids_of(broken) == (NoticeDetails{{"pids", std::monostate{}}}));
  });

  test("a device is reported again only when its identity changed", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(device_of(0, "0000:1b:00.0", "a \"b\" \\"));
    report.notice(device_of(0, "0000:1b:00.0", "a \"b\" \\"));
    CHECK_EQ(sink->notices().size(), 1U);
    const NoticeDetails identity = {{"index", 0.0}, {"uuid", ""}, {"model", "a \"b\" \\"}, {"serial", ""},
                                    {"driver", ""}, {"minor", {}}, {"module", {}}, {"numaNode", {}}, {"architecture", {}}};
    CHECK(sink->notices()[0].details == identity);
    report.child_began();
    report.notice(device_of(0, "0000:43:00.0"));
    CHECK_EQ(sink->notices().size(), 2U);
    CHECK_EQ(sink->notices()[1].component, std::string("gpu/0000:43:00.0"));
    report.sample(power_of(0, 1));
    CHECK_EQ(sink->keys().back(), std::string("gpu/0000:43:00.0#power"));
  });

  test("a state is reported once until another is", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    for (int i = 0; i < 5; ++i) report.state("absent", "library not found: x");
    report.state("running", "");
    report.state("absent", "library not found: x");
    CHECK_EQ(sink->notices().size(), 3U);
  });

  test("a lost device is reported once until it gave a sample again", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(device_of(1, "0000:1b:00.0"));
    for (int i = 0; i < 3; ++i) report.notice(record_of(NoticeType::kDeviceLost, 1, 15));
    CHECK_EQ(sink->notices().size(), 2U);
    CHECK_EQ(report.take_lost().size(), 1U);
    CHECK(report.take_lost().empty());
    report.sample(power_of(1, 5));
    CHECK_EQ(report.take_seen().size(), 1U);
    report.believed();
    report.notice(record_of(NoticeType::kDeviceLost, 1, 16));
    CHECK_EQ(sink->notices().size(), 4U);
    CHECK_EQ(sink->notices()[2].type, std::string("gpu_reset"));
    CHECK_EQ(sink->notices()[3].type, std::string("device_lost"));
  });

  test("an XID that two children saw is reported once; repeats of one child all are", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(record_of(NoticeType::kXid, 1, 79));
    report.notice(record_of(NoticeType::kXid, 1, 79));
    CHECK_EQ(sink->notices().size(), 2U);
    report.event_once(record_of(NoticeType::kXid, 1, 79));
    CHECK_EQ(sink->notices().size(), 2U);
    report.event_once(record_of(NoticeType::kXid, 1, 48));
    CHECK_EQ(sink->notices().size(), 3U);
  });

  test("an XID of an unknown device names no device", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(record_of(NoticeType::kXid, kNoDevice, 79));
    report.notice(record_of(NoticeType::kXid, 5, 79));
    CHECK_EQ(sink->notices()[0].component, std::string());
    CHECK_EQ(sink->notices()[1].component, std::string());
  });

  test("after closing, only the end was reported", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(device_of(1, "0000:1b:00.0"));
    report.close();
    report.close();
    report.sample(power_of(1, 5));
    report.state("running", "");
    CHECK_EQ(sink->notices().size(), 2U);
    CHECK_EQ(sink->notices()[1].name, std::string("stopped"));
    CHECK(!sink->sampled());
  });
}

void events() {
  test("an event that two overlapping children saw is reported once, and another of its kind as well", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    NoticeRecord event = record_of(NoticeType::kEvent, 1, 0);
    put_text(event.name, "poison_fatal");
    report.notice(event);
    report.event_once(event);
    CHECK_EQ(sink->notices().size(), 1U);
    put_text(event.name, "poison_non_fatal");
    report.event_once(event);
    event.monotonic_ns += 2'000'000'000;
    report.event_once(event);
    CHECK_EQ(sink->notices().size(), 3U);
    CHECK(sink->noticed("gpu_event", "poison_fatal"));
  });

  test("a part's state is reported when it changes, besides the state of the whole", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    NoticeRecord part = record_of(NoticeType::kPart, kNoDevice, 4);
    put_text(part.name, "events");
    put_text(part.text, "they fail");
    report.notice(part);
    report.notice(part);
    report.state("running", "");
    put_text(part.text, "they come again");
    report.notice(part);
    CHECK_EQ(sink->notices().size(), 3U);
    CHECK(sink->noticed("part_state", "events"));
  });

  test("a device that answers after its loss was reset; one that was never lost was not", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(device_of(0, "0000:1b:00.0"));
    report.sample(power_of(0, 1));
    report.notice(record_of(NoticeType::kDeviceLost, 0, 16));
    CHECK(!sink->noticed("gpu_reset", "after_loss"));
    report.sample(power_of(0, 2));
    report.sample(power_of(0, 3));
    CHECK(!sink->noticed("gpu_reset", "after_loss"));
    report.believed();
    CHECK(sink->noticed("gpu_reset", "after_loss"));
    CHECK_EQ(sink->notices().size(), 3U);
    CHECK_EQ(sink->notices().back().component, std::string("gpu/0000:1b:00.0"));
  });

  test("what a child gave away of resets before it broke counts for nothing, nor does what its successors say for a while", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(device_of(0, "0000:1b:00.0"));
    report.notice(record_of(NoticeType::kDeviceLost, 0, 15));
    report.sample(power_of(0, 1));
    report.disbelieved(3'000'000'000);
    report.child_began();
    report.notice(device_of(0, "0000:1b:00.0"));
    report.notice(record_of(NoticeType::kDeviceLost, 0, 15));
    report.sample(power_of(0, 1));
    report.believed();
    CHECK(!sink->noticed("gpu_reset", "after_loss"));
    report.notice(record_of(NoticeType::kDeviceLost, 0, 15));
    SampleRecord later = power_of(0, 1);
    later.monotonic_ns = 3'000'000'000;
    report.sample(later);
    report.believed();
    CHECK(sink->noticed("gpu_reset", "after_loss"));
  });

  test("an event that two children give other numbers is one, and the same number on two devices is two", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    report.notice(device_of(0, "0000:1b:00.0"));
    report.notice(device_of(1, "0000:43:00.0"));
    report.notice(record_of(NoticeType::kXid, 1, 79));
    report.child_began();
    report.notice(device_of(0, "0000:43:00.0"));
    report.notice(device_of(1, "0000:1b:00.0"));
    const std::size_t before = sink->notices().size();
    report.event_once(record_of(NoticeType::kXid, 0, 79));
    CHECK_EQ(sink->notices().size(), before);
    report.event_once(record_of(NoticeType::kXid, 1, 79));
    CHECK_EQ(sink->notices().size(), before + 1);
    CHECK_EQ(sink->notices().back().component, std::string("gpu/0000:1b:00.0"));
  });

  test("a device that is not listed any more is gone, one that is lost or left out is not", [] {
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    for (const std::uint32_t seat : {0U, 1U, 2U, 3U}) report.notice(device_of(seat, "0000:4" + std::to_string(seat) + ":00.0"));
    report.child_began();
    report.notice(device_of(1, "0000:41:00.0"));
    report.notice(record_of(NoticeType::kDeviceLost, 2, 15), "0000:42:00.0");
    report.listed([](const std::string& pci) { return pci == "0000:43:00.0"; });
    std::size_t gone = 0;
    for (const Notice& notice : sink->notices()) gone += notice.type == "device_gone" && notice.component == "gpu/0000:40:00.0" ? 1 : 0;
    CHECK_EQ(gone, 1U);
    CHECK_EQ(report.addresses().size(), 3U);
  });

  test("a child that names ever others costs no more memory than the devices of a host", [] {
    VendorReport report(std::make_shared<CollectingSink>());
    for (std::uint32_t i = 0; i < 10'000; ++i) {
      char pci[32];
      std::snprintf(pci, sizeof pci, "%04x:00:00.0", i);
      if (i % 16 == 0) report.child_began();
      report.notice(device_of(i % 16, pci));
    }
    CHECK(report.addresses().size() <= kMaxDevices);
  });

  test("a device that is lost while open is told apart from one that could not be opened", [] {
    VendorReport report(std::make_shared<CollectingSink>());
    NoticeRecord lost = record_of(NoticeType::kDeviceLost, 0, 15);
    put_text(lost.name, "nvmlDeviceGetFieldValues");
    report.notice(lost, "0000:1b:00.0");
    lost.device = kNoDevice;
    lost.minor = 1;
    put_text(lost.name, "nvmlDeviceGetHandleByIndex_v2");
    report.notice(lost);
    const auto taken = report.take_lost();
    CHECK_EQ(taken.size(), 2U);
    CHECK(taken[0].held && !taken[1].held && taken[0].pci == "0000:1b:00.0" && taken[1].index == 1);
  });
}

}  // namespace

int main() {
  reports();
  events();
  return checks::result();
}
