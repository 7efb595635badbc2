// What is read seldom, group by group, from a stand-in library with a script.
#include "check.h"
#include "child_parts.h"

using namespace faultline;
using checks::ChildParts;
using checks::script;
using checks::test;

namespace {

void of_a_gpu() {
  test("memory errors come by kind and place, with the mode and the threshold", [] {
    ChildParts child(
        "devices 1\ngpu.0.field.3 7\ngpu.0.field.4 1\ngpu.0.field.5 70\ngpu.0.field.6 10\n"
        "gpu.0.value.nvmlDeviceGetMemoryErrorCounter.1.7 2\ngpu.0.value.nvmlDeviceGetMemoryErrorCounter.1.2 3\n"
        "gpu.0.value.nvmlDeviceGetSramEccErrorStatus 1\n");
    child.pass();
    CHECK_EQ(child.value(Quantity::kEccCorrected), 7.0);
    CHECK_EQ(child.value(Quantity::kEccUncorrected), 1.0);
    CHECK_EQ(child.value(Quantity::kEccCorrectedLifetime), 70.0);
    CHECK_EQ(child.value(Quantity::kEccUncorrectedLifetime), 10.0);
    CHECK_EQ(child.value(Quantity::kEccSramUncorrected), 2.0);
    CHECK_EQ(child.value(Quantity::kEccDramUncorrected), 3.0);
    CHECK_EQ(child.value(Quantity::kEccSramThreshold), 1.0);
    CHECK_EQ(child.value(Quantity::kEccMode), 1.0);
    CHECK_EQ(child.corrupt(), 0U);
  });

  test("remapped rows and what waits for a reset", [] {
    ChildParts child("devices 1\ngpu.0.field.142 4\ngpu.0.field.143 2\ngpu.0.field.144 1\ngpu.0.field.145 1\n"
                     "gpu.0.field.230 4\ngpu.0.field.226 1\n");
    child.pass();
    CHECK_EQ(child.value(Quantity::kRemapCorrected), 4.0);
    CHECK_EQ(child.value(Quantity::kRemapUncorrected), 2.0);
    CHECK_EQ(child.value(Quantity::kRemapPending), 1.0);
    CHECK_EQ(child.value(Quantity::kRemapFailed), 1.0);
    CHECK_EQ(child.value(Quantity::kRecoveryAction), 4.0);
    CHECK_EQ(child.value(Quantity::kResetRequired), 1.0);
    CHECK_EQ(child.value(Quantity::kDrainResetRequired), 0.0);
  });

  test("the PCIe link, its errors and its bytes", [] {
    ChildParts child("devices 1\ngpu.0.value.nvmlDeviceGetCurrPcieLinkWidth 8\ngpu.0.value.nvmlDeviceGetCurrPcieLinkGeneration 4\n"
                     "gpu.0.field.94 11\ngpu.0.field.173 5\ngpu.0.field.180 1\ngpu.0.field.197 123456789\n");
    child.pass();
    CHECK_EQ(child.value(Quantity::kPcieWidth), 8.0);
    CHECK_EQ(child.value(Quantity::kPcieWidthMax), 16.0);
    CHECK_EQ(child.value(Quantity::kPcieGeneration), 4.0);
    CHECK_EQ(child.value(Quantity::kPcieGenerationMax), 5.0);
    CHECK_EQ(child.value(Quantity::kPcieReplays), 11.0);
    CHECK_EQ(child.value(Quantity::kPcieCorrectable), 5.0);
    CHECK_EQ(child.value(Quantity::kPcieFatal), 1.0);
    CHECK_EQ(child.value(Quantity::kPcieTx), 123456789.0);
  });

  test("limits in watts, times in seconds, clocks in hertz, memory in bytes", [] {
    ChildParts child("devices 1\ngpu.0.field.189 650000\ngpu.0.field.75 2500000000\n");
    child.pass();
    CHECK_NEAR(child.value(Quantity::kPowerLimitDefault), 650.0, 1e-9);
    CHECK_NEAR(child.value(Quantity::kPowerLimitMin), 200.0, 1e-9);
    CHECK_NEAR(child.value(Quantity::kViolationThermal), 2.5, 1e-9);
    CHECK_EQ(child.value(Quantity::kSmClockMax), 1980e6);
    CHECK_EQ(child.value(Quantity::kMemoryTotal), 80.0 * 1024 * 1024 * 1024);
    CHECK_EQ(child.value(Quantity::kPerformanceState), 0.0);
    CHECK_EQ(child.value(Quantity::kMemoryTemperature), 48.0);
  });

  test("what is left to each thermal limit is the T.Limit margin less the threshold on its scale", [] {
    // 85 is the T.Limit's zero here, so that 30 are left at 55; slowdown is two beyond it, shutdown eight.
    ChildParts child("devices 1\ngpu.0.temperature 55\ngpu.0.slowdown_c 87\n");
    child.pass();
    CHECK_EQ(child.value(Quantity::kMarginGpu), 30.0);
    CHECK_EQ(child.value(Quantity::kMarginSlowdown), 32.0);
    CHECK_EQ(child.value(Quantity::kMarginShutdown), 38.0);
    script("devices 1\ngpu.0.temperature 95\ngpu.0.slowdown_c 87\n");
    child.pass();
    CHECK_EQ(child.value(Quantity::kMarginGpu), -10.0);
    CHECK_EQ(child.value(Quantity::kMarginSlowdown), -8.0);
  });

  test("banks are reported by the spare rows they have left, whole remapped banks where the driver knows of them", [] {
    ChildParts child("devices 1\ngpu.0.value.nvmlDeviceGetRowRemapperHistogram.max 638\n"
                     "gpu.0.value.nvmlDeviceGetRowRemapperHistogram.none 2\n");
    child.pass();
    CHECK_EQ(child.value(Quantity::kRemapBanksFull), 638.0);
    CHECK_EQ(child.value(Quantity::kRemapBanksNone), 2.0);
    CHECK_EQ(child.value(Quantity::kRemapBanksLow), 0.0);
    CHECK(!child.has(Quantity::kBankRemapPending));
    ChildParts newer("devices 1\ndriver 615.71.05\ngpu.0.field.307 1\ngpu.0.field.303 2\n");
    newer.pass();
    CHECK_EQ(newer.value(Quantity::kBankRemapPending), 1.0);
    CHECK_EQ(newer.value(Quantity::kBankRemapActive), 2.0);
  });

  test("the fabric's status is reported once the registration is over", [] {
    ChildParts child("devices 1\ngpu.0.value.nvmlDeviceGetGpuFabricInfoV.state 2\n");
    child.pass();
    CHECK_EQ(child.value(Quantity::kFabricState), 2.0);
    CHECK(!child.has(Quantity::kFabricStatus));
    script("devices 1\ngpu.0.value.nvmlDeviceGetGpuFabricInfoV.status 999\ngpu.0.value.nvmlDeviceGetGpuFabricInfoV.health 169\n");
    child.pass();
    CHECK_EQ(child.value(Quantity::kFabricState), 3.0);
    CHECK_EQ(child.value(Quantity::kFabricStatus), 999.0);
    CHECK_EQ(child.value(Quantity::kFabricHealth), 169.0);
  });
}

void of_links() {
  test("each link has a state, errors and bytes of its own", [] {
    ChildParts child("devices 1\ngpu.0.links_down 0x20\ngpu.0.link.3.161 9\ngpu.0.link.3.163 4\ngpu.0.link.3.138 2048\n");
    child.pass();
    CHECK_EQ(child.links.size(), 18U);
    CHECK_EQ(child.link(3, Quantity::kNvlinkState), 1.0);
    CHECK_EQ(child.link(5, Quantity::kNvlinkState), 0.0);
    CHECK_EQ(child.link(3, Quantity::kNvlinkReplays), 9.0);
    CHECK_EQ(child.link(2, Quantity::kNvlinkReplays), 0.0);
    CHECK_EQ(child.link(3, Quantity::kNvlinkCrcErrors), 4.0);
    CHECK_EQ(child.link(3, Quantity::kNvlinkTx), 2048.0 * 1024);
    CHECK_EQ(child.value(Quantity::kNvlinks), 18.0);
    CHECK_EQ(child.value(Quantity::kNvlinksActive), 17.0);
    CHECK(child.has(Quantity::kNvlinkTx));
    CHECK_EQ(child.capability(Capability::kNvlink), std::string("18 links, 17 up"));
    CHECK_EQ(child.corrupt(), 0U);
  });

  test("bit error rates are ratios, and error correction is reported by how much it corrects and how hard", [] {
    ChildParts child("devices 1\ngeneration r580\ngpu.0.architecture blackwell\ngpu.0.link.4.222 780\ngpu.0.link.4.220 4095\n"
                     "gpu.0.link.4.236 1000\ngpu.0.link.4.241 2\ngpu.0.link.4.250.error 3\n");
    child.pass();
    CHECK_NEAR(child.link(4, Quantity::kNvlinkSymbolBer), 3e-12, 1e-20);
    CHECK_EQ(child.link(4, Quantity::kNvlinkEffectiveBer), 0.0);
    CHECK_EQ(child.link(4, Quantity::kNvlinkFecCorrected), 1002.0);
    CHECK_EQ(child.link(4, Quantity::kNvlinkFecWorst), 6.0);
    CHECK_EQ(child.link(3, Quantity::kNvlinkFecWorst), 0.0);
    child.pass();
    CHECK_EQ(child.link(4, Quantity::kNvlinkFecWorst), -1e9);  // seldom
    CHECK_EQ(child.corrupt(), 0U);
    ChildParts hopper("devices 1\n");
    hopper.pass();
    CHECK_EQ(hopper.link(4, Quantity::kNvlinkSymbolBer), -1e9);
    CHECK_EQ(hopper.link(4, Quantity::kNvlinkFecWorst), -1e9);
  });

  test("a card whose links lead nowhere has no links to watch", [] {
    ChildParts child("devices 1\ngpu.0.links 4\ngpu.0.links_down 0xf\n");
    child.pass();
    CHECK(child.links.empty());
    CHECK_EQ(child.value(Quantity::kNvlinksActive), 0.0);
    CHECK(!child.has(Quantity::kNvlinkTx));
  });

  test("a link that went down is still watched when all of them did", [] {
    ChildParts child("devices 1\ngpu.0.links 2\n");
    child.pass();
    script("devices 1\ngpu.0.links 2\ngpu.0.links_down 3\n");
    child.pass();
    CHECK_EQ(child.link(0, Quantity::kNvlinkState), 0.0);
    CHECK_EQ(child.link(1, Quantity::kNvlinkState), 0.0);
  });

  test("more links than any GPU has are not believed", [] {
    ChildParts child("devices 1\ngpu.0.field.91 4000000000\n");
    child.pass();
    CHECK(child.links.empty());
    CHECK_EQ(child.corrupt(), 0U);
  });
}

void of_jobs() {
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

void pacing() {
  test("a pass too dear for its share is put off, and a pass under way is not begun again", [] {
    ChildParts child("devices 1\ncall.nvmlDeviceGetEccMode.delay_ms 20\n");
    child.pass();
    const std::int64_t now = monotonic_now();
    child.lane->begin(now);  // long before the hour at which the last one began
    CHECK(child.lane->idle());
    // Twenty milliseconds are a quarter of a percent of eight seconds.
    child.lane->begin(now + 3'600'000'000'000 + 7'000'000'000);
    CHECK(child.lane->idle());
    child.lane->begin(now + 3'600'000'000'000 + 60'000'000'000);
    CHECK(!child.lane->idle());
  });

  test("a pass comes in slices, one GPU a round, and each GPU is read in it once", [] {
    ChildParts child("devices 4\n");
    child.pass();
    CHECK_EQ(child.samples.size(), 4U);
    const std::int64_t start = monotonic_now() + 7'200'000'000'000;
    child.lane->run(start - 100'000'000);
    child.lane->begin(start);
    int rounds = 0;
    for (std::int64_t now = start; !child.lane->idle() && rounds < 10'000; now += 100'000'000, ++rounds) {
      child.samples.clear();
      child.lane->run(now);
      child.drain();
      CHECK(rounds == 0 || child.samples.size() <= 1);
    }
    CHECK(rounds >= 3);
  });

  test("the first pass over sixteen of the largest GPUs loses no value", [] {
    std::string text = "devices 16\ngeneration r580\n";
    for (int i = 0; i < 16; ++i) text += "gpu." + std::to_string(i) + ".architecture blackwell\n";
    ChildParts child(text);
    child.pass();
    CHECK_EQ(child.samples.size(), 16U);
    CHECK_EQ(child.lost(), 0U);
  });

  test("a GPU that is lost in the middle of its turn ends it, and the others continue", [] {
    ChildParts child("devices 3\ngpu.1.error 15\n");
    child.pass();
    // It was not even opened.
    CHECK_EQ(child.devices.size(), 2U);
    script("devices 3\ngpu.0.error 15\n");
    child.pass();
    CHECK(child.gpu(0).lost);
    CHECK(!child.gpu(1).lost);
    CHECK(child.samples.contains(child.gpu(1).identity.seat));
    CHECK(!child.samples.contains(child.gpu(0).identity.seat));
  });

  test("a library that died ends the pass", [] {
    ChildParts child("devices 2\n");
    script("devices 2\ngpu.0.error 9\n");
    child.pass();
    CHECK(child.answers.dead());
    CHECK_EQ(child.answers.death().code, nvml::kDriverNotLoaded);
  });
}

}  // namespace

int main() {
  of_a_gpu();
  of_links();
  of_jobs();
  of_processes();
  pacing();
  return checks::result();
}
