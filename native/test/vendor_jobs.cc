// What is read seldom of who works on a GPU, from a stand-in library with a script: shares of the time, instances, processes.
#include "check.h"
#include "child_parts.h"

using namespace faultline;
using checks::ChildParts;
using checks::script;
using checks::test;

namespace {

void of_shares() {
  test("monitoring gives the shares of the time between two passes", [] {
    ChildParts child("devices 1\ngpu.0.gpm.2 80\ngpu.0.gpm.5 37.5\ngpu.0.gpm.61 512\n");
    child.pass();
    CHECK(!child.has(Quantity::kSmUtilization));
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    child.pass();
    CHECK_NEAR(child.value(Quantity::kSmUtilization), 0.8, 1e-9);
    CHECK_NEAR(child.value(Quantity::kTensorUtilization), 0.375, 1e-9);
    CHECK_EQ(child.value(Quantity::kGpmNvlinkTx), 512.0 * 1024 * 1024);
    CHECK_EQ(child.capability(Capability::kGpm), std::string("works"));
  });
}

void of_instances() {
  test("instances are reported when they come and when they go, and take the place of whole-GPU monitoring", [] {
    const std::string split = "devices 1\ngpu.0.mig 1\n";
    ChildParts child(split + "gpu.0.instance 1 0 MIG-a\ngpu.0.instance 2 0 MIG-b\n");
    child.pass();
    CHECK_EQ(child.notices_of(NoticeType::kInstance), 2U);
    CHECK_EQ(child.value(Quantity::kMigMode), 1.0);
    CHECK_EQ(child.capability(Capability::kMig), std::string("on, 2 instances"));
    CHECK_EQ(child.capability(Capability::kGpm), std::string("works"));
    CHECK(!child.has(Quantity::kSmUtilization));
    script(split + "gpu.0.instance 2 0 MIG-b\n");
    for (int i = 0; i < 3; ++i) child.pass();
    CHECK_EQ(child.notices_of(NoticeType::kInstance), 3U);
    const NoticeRecord& gone = child.notices.back().type == static_cast<std::uint32_t>(NoticeType::kInstance)
                                   ? child.notices.back()
                                   : child.notices[child.notices.size() - 2];
    CHECK_EQ(gone.value, 0.0);
    CHECK_EQ(gone.detail, 1U);
    CHECK_EQ(bounded_text(gone.uuid), std::string("MIG-a"));
    script("devices 1\n");
    child.pass();
    CHECK_EQ(child.notices_of(NoticeType::kInstance), 4U);
    CHECK_EQ(child.capability(Capability::kMig), std::string("off"));
  });

  test("an instance has errors and work of its own, the whole GPU none, and both change places with the mode", [] {
    const std::string split = "devices 1\ngpu.0.mig 1\ngpu.0.instance 5 0 MIG-a\ngpu.0.instance 5 1 MIG-b\ngpu.0.instance 9 0 MIG-c\n";
    ChildParts child("devices 1\ngpu.0.value.nvmlDeviceGetMemoryErrorCounter.1.7 4\n");
    child.pass();
    CHECK_EQ(child.value(Quantity::kEccSramUncorrected), 4.0);
    script(split + "gpu.0.gi.9.ecc 3\ngpu.0.gi.5.gpm.2 25\ngpu.0.gi.9.gpm.2 75\n");
    child.pass();
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    child.pass();
    CHECK(!child.has(Quantity::kEccSramUncorrected));
    CHECK(!child.has(Quantity::kSmUtilization));
    CHECK_EQ(child.links.size(), 20U);  // eighteen links, two GPU instances
    CHECK_EQ(child.link(kFirstInstance + 5, Quantity::kEccSramUncorrected), 0.0);
    CHECK_EQ(child.link(kFirstInstance + 9, Quantity::kEccSramUncorrected), 3.0);
    CHECK_NEAR(child.link(kFirstInstance + 5, Quantity::kSmUtilization), 0.25, 1e-9);
    CHECK_NEAR(child.link(kFirstInstance + 9, Quantity::kSmUtilization), 0.75, 1e-9);
    CHECK_EQ(child.link(kFirstInstance + 9, Quantity::kGpmPcieTx), -1e9);
    script("devices 1\ngpu.0.value.nvmlDeviceGetMemoryErrorCounter.1.7 4\n");
    child.pass();
    CHECK_EQ(child.value(Quantity::kEccSramUncorrected), 4.0);
    CHECK_EQ(child.links.size(), 18U);
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    child.pass();
    CHECK(child.has(Quantity::kSmUtilization));
    CHECK_EQ(child.corrupt(), 0U);
  });

  test("an instance that went between two listings is listed again, and those that stay are still read", [] {
    const std::string split = "devices 1\ngpu.0.mig 1\n";
    ChildParts child(split + "gpu.0.instance 1 0 MIG-a\ngpu.0.instance 2 0 MIG-b\n");
    child.pass();
    script(split + "gpu.0.instance 1 0 MIG-a\n");
    for (int i = 0; i < 2; ++i) child.pass();
    CHECK_EQ(child.capability(Capability::kMig), std::string("on, 1 instance"));
    CHECK_EQ(child.link(kFirstInstance + 1, Quantity::kEccSramUncorrected), 0.0);
  });
}

unsigned lists_read = 0;
void count_lists(nvml::Library& nvml) {
  static decltype(nvml.compute_processes) real;
  real = nvml.compute_processes;
  nvml.compute_processes = [](nvml::Device device, unsigned* count, nvml::ProcessInfo* infos) {
    ++lists_read;
    return real(device, count, infos);
  };
}

void of_processes() {
  const std::string memory = "gpu.0.value.nvmlDeviceGetMemoryInfo_v2 ";

  test("processes are listed once, and reported when they changed", [] {
    ChildParts child("devices 1\ngpu.0.processes 4242,17\n");
    for (int i = 0; i < 7; ++i) child.pass();
    CHECK_EQ(child.notices_of(NoticeType::kProcesses), 1U);
    for (const NoticeRecord& each : child.notices) {
      if (each.type != static_cast<std::uint32_t>(NoticeType::kProcesses)) continue;
      CHECK_EQ(bounded_text(each.text), std::string("[17,4242]"));
      CHECK_EQ(each.value, 2.0);
    }
    std::string many = "devices 1\ngpu.0.value.nvmlDeviceGetMemoryInfo_v2 0\ngpu.0.processes 1000000";
    for (int i = 1; i < 200; ++i) many += "," + std::to_string(1'000'000 + i);
    script(many + "\n");
    child.pass();
    CHECK_EQ(child.notices.back().value, 200.0);
    CHECK(bounded_text(child.notices.back().text).ends_with("]"));
    CHECK_EQ(child.corrupt(), 0U);
  });

  test("processes of a split device are on its instances, two of one profile told apart", [] {
    const std::string split = "devices 1\ngpu.0.mig 1\ngpu.0.instance 1 0 MIG-a\ngpu.0.instance 2 0 MIG-b\n";
    ChildParts child(split + "gpu.0.processes 4242:1,17:2,99:2,99:1\n");
    for (int i = 0; i < 7; ++i) child.pass();
    const auto last = [&] {
      std::string text;
      for (const NoticeRecord& each : child.notices) {
        if (each.type == static_cast<std::uint32_t>(NoticeType::kProcesses)) text = bounded_text(each.text);
      }
      return text;
    };
    CHECK_EQ(last(), std::string("[17:2,99:1,99:2,4242:1]"));
    CHECK_EQ(child.capability(Capability::kProcesses), std::string("works"));
    // Whole again: the list is that of the device.
    script("devices 1\ngpu.0.processes 17\n");
    for (int i = 0; i < 7; ++i) child.pass();
    CHECK_EQ(last(), std::string("[17]"));
    CHECK_EQ(child.corrupt(), 0U);
  });

  test("a job that stays costs one list in ten minutes, one that comes or goes one each", [memory] {
    lists_read = 0;
    ChildParts child("devices 1\n" + memory + "1000000000\n", count_lists);
    for (int i = 0; i < 50; ++i) child.pass();
    CHECK_EQ(lists_read, 1U);
    script("devices 1\ngpu.0.processes 17\n" + memory + "1400000000\n");
    for (int i = 0; i < 5; ++i) child.pass();
    CHECK_EQ(lists_read, 2U);
    CHECK_EQ(bounded_text(child.notices.back().text), std::string("[17]"));
    script("devices 1\n" + memory + "1000000000\n");
    for (int i = 0; i < 5; ++i) child.pass();
    CHECK_EQ(lists_read, 3U);
    CHECK_EQ(bounded_text(child.notices.back().text), std::string("[]"));
    for (int i = 0; i < 60; ++i) child.pass();
    CHECK_EQ(lists_read, 4U);
  });

  test("memory that moves without another process is asked about once a minute", [memory] {
    lists_read = 0;
    ChildParts child("devices 1\n" + memory + "0\n", count_lists);
    for (int i = 0; i < 31; ++i) {
      script("devices 1\n" + memory + std::to_string(1'000'000'000ULL * (i % 2)) + "\n");
      child.pass();
    }
    CHECK(lists_read >= 4 && lists_read <= 7);
  });

  test("the processes of a GPU that starts work are listed between two passes", [] {
    lists_read = 0;
    ChildParts child("devices 2\n", count_lists);
    child.pass();
    CHECK_EQ(lists_read, 2U);
    script("devices 2\ngpu.1.processes 99\n");
    child.gpu(1).processes_due = true;
    for (int i = 0; i < 3; ++i) child.slice();
    child.drain();
    CHECK_EQ(lists_read, 3U);
    CHECK_EQ(child.notices.back().device, 1U);
    CHECK_EQ(bounded_text(child.notices.back().text), std::string("[99]"));
  });
}

}  // namespace

int main() {
  of_shares();
  of_instances();
  of_processes();
  return checks::result();
}
