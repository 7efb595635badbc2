// Libraries of each driver generation and GPUs of each architecture: what is absent stays absent, and has a reason.
#include "check.h"
#include "child_parts.h"

using namespace faultline;
using checks::ChildParts;
using checks::script;
using checks::test;

namespace {

std::string of(const std::string& generation, const std::string& architecture, const std::string& more = "") {
  return "devices 1\ngeneration " + generation + "\ngpu.0.architecture " + architecture + "\n" + more;
}

void generations() {
  test("r470: calls in place of fields, thresholds in degrees, no monitoring", [] {
    ChildParts child(of("r470", "ampere", "gpu.0.value.nvmlDeviceGetNvLinkErrorCounter.2.0 5\n"
                                          "gpu.0.value.nvmlDeviceGetNvLinkErrorCounter.2.2 3\n"
                                          "gpu.0.value.nvmlDeviceGetNvLinkErrorCounter.2.3 4\n"));
    child.gpu(0).temperature = 55;
    child.pass();
    CHECK_NEAR(child.value(Quantity::kPowerLimitMax), 700.0, 1e-9);
    CHECK_NEAR(child.value(Quantity::kPowerLimitRequested), 700.0, 1e-9);
    CHECK_EQ(child.value(Quantity::kMarginSlowdown), 32.0);
    CHECK_EQ(child.value(Quantity::kMarginShutdown), 37.0);
    CHECK_EQ(child.value(Quantity::kMarginMemory), 95.0 - 48);
    CHECK_EQ(child.value(Quantity::kTemperatureLimit), 87.0);
    CHECK_EQ(child.link(2, Quantity::kNvlinkState), 1.0);
    CHECK_EQ(child.link(2, Quantity::kNvlinkReplays), 5.0);
    CHECK_EQ(child.link(2, Quantity::kNvlinkCrcErrors), 7.0);
    CHECK_EQ(child.value(Quantity::kMemoryUsed), 60.0 * 1024 * 1024 * 1024);
    CHECK(!child.has(Quantity::kRecoveryAction));
    CHECK_EQ(child.capability(Capability::kGpm), std::string("not in this library (13)"));
    CHECK_EQ(child.capability(Capability::kRecoveryAction), std::string("unknown to this driver (2)"));
    CHECK_EQ(child.capability(Capability::kPcieThroughput), std::string("unknown to this driver (2)"));
    CHECK_EQ(child.capability(Capability::kFabric), std::string("not in this library (13)"));
    CHECK_EQ(child.capability(Capability::kProcesses), std::string("not in this library (13)"));
    CHECK_EQ(child.capability(Capability::kNvlink), std::string("12 links, 12 up"));
    CHECK_EQ(child.capability(Capability::kRetiredPages), std::string("unsupported (3)"));
    CHECK_EQ(child.capability(Capability::kRemappedRows), std::string("works"));
  });

  test("r535: the fabric by its first call, no T.Limit margin", [] {
    ChildParts child(of("r535", "hopper"));
    child.gpu(0).temperature = 55;
    child.pass();
    CHECK_EQ(child.value(Quantity::kFabricState), 3.0);
    CHECK(!child.has(Quantity::kFabricHealth));
    CHECK_EQ(child.value(Quantity::kMarginSlowdown), 32.0);
    CHECK_EQ(child.link(0, Quantity::kNvlinkReplays), 0.0);
    CHECK(!child.has(Quantity::kPcieTx));
    CHECK(!child.has(Quantity::kRecoveryAction));
  });

  test("r550: the fabric in its second version", [] {
    ChildParts child(of("r550", "hopper"));
    child.pass();
    CHECK_EQ(child.value(Quantity::kFabricHealth), 170.0);
    CHECK_EQ(child.value(Quantity::kEccSramThreshold), 0.0);
    CHECK(child.has(Quantity::kPcieTx));
  });

  test("power smoothing is asked only of drivers that agree on its numbers", [] {
    for (const char* sure : {"r570", "r580"}) {
      ChildParts child(of(sure, "blackwell"));
      child.pass();
      CHECK_EQ(child.value(Quantity::kPowerSmoothing), 0.0);
      CHECK_EQ(child.value(Quantity::kPowerSmoothingFloor), 400.0);
      CHECK_EQ(child.value(Quantity::kPowerSmoothingLifetime), 1.0);
    }
    for (const char* unsure : {"r550", "r575"}) {
      ChildParts child(of(unsure, "blackwell"));
      child.pass();
      CHECK(!child.has(Quantity::kPowerSmoothing));
      CHECK(child.capability(Capability::kPowerSmoothing).starts_with("not asked"));
    }
    ChildParts early(of("r580", "blackwell", "driver 580.65.06\n"));
    early.pass();
    CHECK(!early.has(Quantity::kPowerSmoothing));
  });

  test("the slowdown times of r575 and early r580, which number them otherwise, are not taken for smoothing settings", [] {
    for (const char* driver : {"575.57.08", "580.65.06"}) {
      ChildParts child("devices 1\ndriver " + std::string(driver) + "\n");
      Sampler sampler(child.backend, child.parts, child.devices);
      sampler.round(false);
      child.drain();
      CHECK(child.has(Quantity::kTimePowerCap));
      CHECK(!child.has(Quantity::kTimeSwThermal));
    }
    ChildParts child(of("r580", "hopper"));
    Sampler sampler(child.backend, child.parts, child.devices);
    sampler.round(false);
    child.drain();
    CHECK_EQ(child.value(Quantity::kTimeSwThermal), 0.0);
  });

  test("which drivers number the fields as we do", [] {
    for (const char* good : {"580.95.05", "581.10", "590.44.01"}) {
      CHECK(nvml::slowdown_times_are_known(good));
      CHECK(nvml::smoothing_fields_are_known(good));
    }
    for (const char* bad : {"535.104.12", "575.57.08", "580.65.06", "", "580", "x.y", "580."}) {
      CHECK(!nvml::slowdown_times_are_known(bad));
      CHECK(!nvml::smoothing_fields_are_known(bad));
    }
    CHECK(nvml::smoothing_fields_are_known("570.86.10") && !nvml::slowdown_times_are_known("570.86.10"));
  });
}

void architectures() {
  test("Volta has retired pages and no rows to remap", [] {
    ChildParts child(of("r535", "volta", "gpu.0.field.30 2\ngpu.0.field.31 1\n"));
    child.pass();
    CHECK_EQ(child.value(Quantity::kRetiredPagesDbe), 2.0);
    CHECK_EQ(child.value(Quantity::kRetiredPagesPending), 1.0);
    CHECK(!child.has(Quantity::kRemapPending));
    CHECK_EQ(child.capability(Capability::kMig), std::string("unsupported (3)"));
    CHECK_EQ(child.capability(Capability::kGpm), std::string("unsupported (3)"));
  });

  test("Blackwell's links have counters of their own, and one source for each quantity", [] {
    ChildParts child(of("r580", "blackwell", "gpu.0.link.1.215 3\ngpu.0.link.1.214 1\ngpu.0.link.1.221 12\n"
                                             "gpu.0.link.1.219 6\ngpu.0.link.1.206 2\n"));
    for (int i = 0; i < 2; ++i) {
      child.pass();
      CHECK_EQ(child.link(1, Quantity::kNvlinkRecoveries), 3.0);
      CHECK_EQ(child.link(1, Quantity::kNvlinkRecoveriesFailed), 1.0);
      CHECK_EQ(child.link(1, Quantity::kNvlinkSymbolErrors), 12.0);
      CHECK_EQ(child.link(1, Quantity::kNvlinkEffectiveErrors), 6.0);
      CHECK_EQ(child.link(1, Quantity::kNvlinkMalformed), 2.0);
      CHECK_EQ(child.link(1, Quantity::kNvlinkTx), 1073741824.0);
      CHECK_EQ(child.link(1, Quantity::kNvlinkReplays), -1e9);
    }
    // Both throughput fields answer; only one is asked for after the first pass.
    for (const nvml::Field& field : nvml::fields_of(nvml::Batch::kLink)) {
      if (field.id != nvml::kFieldNvlinkBytesTx) continue;
      CHECK(nvml::outcome_of(child.gpu(0).codes[nvml::reading_of(field)]) == Outcome::kUnsupported);
    }
  });
}

void absence() {
  test("a library with nothing but the calls that list devices works, and says what it lacks", [] {
    ChildParts child("devices 1\n", [](nvml::Library& nvml) {
      nvml::Library bare;
      bare.init = nvml.init;
      bare.shutdown = nvml.shutdown;
      bare.driver_version = nvml.driver_version;
      bare.count = nvml.count;
      bare.handle_by_index = nvml.handle_by_index;
      bare.pci_info = nvml.pci_info;
      nvml = bare;
    });
    child.pass();
    child.pass();
    CHECK_EQ(child.devices.size(), 1U);
    CHECK(child.samples[0].empty() || (child.samples[0].size() == 2 && child.has(Quantity::kNvlinks)));
    CHECK_EQ(child.capability(Capability::kEcc), std::string("not in this library (13)"));
    CHECK_EQ(child.capability(Capability::kPcieLink), std::string("not in this library (13)"));
    CHECK(!child.gpu(0).lost);
  });

  test("no permission is reported as that, and asked for again", [] {
    ChildParts child("devices 1\ncall.nvmlDeviceGetComputeRunningProcesses_v3.error 4\ngpu.0.field.3.error 4\n"
                     "gpu.0.field.4.error 4\ngpu.0.field.5.error 4\ngpu.0.field.6.error 4\ncall.nvmlDeviceGetEccMode.error 4\n");
    child.pass();
    CHECK_EQ(child.capability(Capability::kProcesses), std::string("no permission (4)"));
    CHECK_EQ(child.capability(Capability::kEcc), std::string("no permission (4)"));
    script("devices 1\n");
    for (int i = 0; i < 3; ++i) child.pass();
    CHECK_EQ(child.capability(Capability::kProcesses), std::string("works"));
    CHECK_EQ(child.capability(Capability::kEcc), std::string("works"));
  });

  test("what was not supported is asked for again after sixty passes: MIG may have gone", [] {
    ChildParts child("devices 1\ngpu.0.field.142.error 3\n");
    child.pass();
    script("devices 1\ngpu.0.field.142 6\n");
    child.pass();
    CHECK(!child.has(Quantity::kRemapCorrected));
    for (int i = 3; i <= 60; ++i) child.pass();
    CHECK_EQ(child.value(Quantity::kRemapCorrected), 6.0);
  });

  test("one field that spoils the whole batch costs only itself", [] {
    // A library that refuses a batch for one of its ids.
    ChildParts child("devices 1\n", [](nvml::Library& nvml) {
      static auto real = nvml.field_values;
      nvml.field_values = [](nvml::Device device, int count, nvml::FieldValue* fields) -> nvml::Return {
        for (int i = 0; i < count; ++i) {
          if (fields[i].fieldId == nvml::kFieldRemapPending) return nvml::kInvalidArgument;
        }
        return real(device, count, fields);
      };
    });
    child.pass();
    CHECK(!child.has(Quantity::kRemapPending));
    CHECK_EQ(child.value(Quantity::kRemapFailed), 0.0);
    CHECK_EQ(child.value(Quantity::kEccCorrected), 0.0);
  });
}

}  // namespace

int main() {
  generations();
  architectures();
  absence();
  return checks::result();
}
