// What is read seldom of a GPU and its links, group by group, and when, from a stand-in library with a script.
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
  pacing();
  return checks::result();
}
