// The child's decisions, without a library: return codes, identity, field types; and the stand-in's language.
#include "fake/control.cc"
#include "fake/generations.cc"

#include <cstring>

#include "check.h"
#include "vendor/known_devices.h"
#include "vendor/nvml/backend.h"

using namespace faultline;
using checks::test;

namespace {

void identity() {
  test("PCI addresses are canonical whatever the library writes", [] {
    nvml::PciInfo info{};
    info.domain = 0;
    info.bus = 0x9b;
    info.device = 0x1f;
    CHECK_EQ(nvml::canonical_pci(info), std::string("0000:9b:1f.0"));
    info.domain = 0x10000;
    CHECK_EQ(nvml::canonical_pci(info), std::string("10000:9b:1f.0"));
    CHECK(is_pci_address(nvml::canonical_pci(info)));
    info = {};
    std::memset(&info, 0xff, sizeof info);
    CHECK(is_pci_address(nvml::canonical_pci(info)));
  });

  test("the list of known devices is read leniently", [] {
    const KnownDevices devices("0000:1b:00.0,!0000:43:00.0@1,!@5,!0000:61:00.0,junk,@x,!@,@7,,!junk@3");
    CHECK_EQ(devices.seats().size(), 3U);
    CHECK_EQ(devices.seat_of("0000:61:00.0").value_or(99), 2U);
    CHECK(!devices.seats()[0].alone && devices.seats()[1].alone && devices.seats()[1].index == 1);
    CHECK(devices.seats()[2].alone && devices.seats()[2].index == kNoDevice);
    CHECK(devices.index_alone(5) && !devices.index_alone(1) && !devices.index_alone(7) && !devices.index_alone(3));
    CHECK_EQ(devices.alone(), 2U);
    CHECK(KnownDevices("-").seats().empty() && KnownDevices("").seats().empty());
  });
}

void codes() {
  test("return codes are sorted by what they ask for", [] {
    using nvml::outcome_of;
    for (const int code : {2, 3, 13, 25, 26}) CHECK(outcome_of(code) == Outcome::kUnsupported);
    for (const int code : {15, 16, 28}) CHECK(outcome_of(code) == Outcome::kDeviceDead);
    for (const int code : {1, 9, 18}) CHECK(outcome_of(code) == Outcome::kLibraryDead);
    for (const int code : {4, 6, 17, 19, 20, 21, 27, 12345}) CHECK(outcome_of(code) == Outcome::kTransient);
    CHECK(outcome_of(10) == Outcome::kTimeout);
    CHECK(outcome_of(999) == Outcome::kUnknown);
    CHECK(outcome_of(0) == Outcome::kOk);
  });

  test("a field is read by the type it says it has", [] {
    nvml::FieldValue field{};
    field.valueType = nvml::kValueUnsigned;
    field.value.ullVal = 0xdeadbeef'00000007;
    CHECK_EQ(nvml::field_number(field), 7.0);
    field.valueType = nvml::kValueUnsignedLongLong;
    field.value.ullVal = 1'000'000'000'000;
    CHECK_EQ(nvml::field_number(field), 1e12);
    field.valueType = nvml::kValueSigned;
    field.value.siVal = -3;
    CHECK_EQ(nvml::field_number(field), -3.0);
    field.valueType = nvml::kValueUnsignedShort;
    field.value.usVal = 65535;
    CHECK_EQ(nvml::field_number(field), 65535.0);
    field.valueType = nvml::kValueDouble;
    field.value.dVal = 1.5;
    CHECK_EQ(nvml::field_number(field), 1.5);
    field.valueType = 77;
    CHECK(std::isnan(nvml::field_number(field)));
  });
}

void control() {
  test("the control language sets what it names and defaults the rest", [] {
    const fake::State state = fake::parse_control(
        "# a comment\n\ndevices 2\r\ndriver 580.95.05\ngpu.1.power_mw 250000\ngpu.1.reasons 0x84\n"
        "gpu.1.xid 7 79\ngpu.9.power_mw 1\ngpu.x\nnonsense\ncall.nvmlInit_v2.delay_ms 20\ncall.nvmlInit_v2.hang 1\n"
        "gpu.0.name NVIDIA B200  \ngpu.0.architecture blackwell\ngpu.0.field.230 4\ngpu.0.link.3.161.error 3\n"
        "gpu.0.gpm.2 37.5\ngpu.0.instance 1 0 MIG-a\ngpu.0.processes 7,8\ngpu.0.value.nvmlDeviceGetEccMode 0\n");
    CHECK_EQ(state.gpus.size(), 2U);
    CHECK_EQ(state.driver, std::string("580.95.05"));
    CHECK_EQ(state.gpus[1].power_mw, 250'000U);
    CHECK_EQ(state.gpus[1].reasons, 0x84ULL);
    CHECK_EQ(state.gpus[1].xid_serial, 7U);
    CHECK_EQ(state.gpus[1].xid, 79ULL);
    CHECK_EQ(state.gpus[0].name, std::string("NVIDIA B200"));
    CHECK_EQ(state.gpus[0].power_limit_mw, 700'000U);
    CHECK(state.gpus[0].architecture == fake::Architecture::kBlackwell);
    CHECK_EQ(state.gpus[0].fields.at(230ULL << 32).value, 4.0);
    CHECK_EQ(state.gpus[0].fields.at(161ULL << 32 | 3).error, 3);
    CHECK_EQ(state.gpus[0].gpm.at(2), 37.5);
    CHECK_EQ(state.gpus[0].instances.at(0).uuid, std::string("MIG-a"));
    CHECK_EQ(state.gpus[0].processes.size(), 2U);
    CHECK_EQ(state.gpus[0].values.at("nvmlDeviceGetEccMode"), 0ULL);
    CHECK_EQ(state.calls.at("nvmlInit_v2").delay_ms, 20U);
    CHECK(state.calls.at("nvmlInit_v2").hang);
  });

  test("a generation has its driver's version, which a line of its own overrides", [] {
    CHECK_EQ(fake::parse_control("generation r470\n").driver, std::string("470.256.02"));
    const fake::State early = fake::parse_control("driver 580.65.06\ngeneration r580\n");
    CHECK_EQ(early.driver, std::string("580.65.06"));
    CHECK_EQ(early.branch, 580);
  });

  test("without a control file there are eight devices", [] { CHECK_EQ(fake::parse_control("").gpus.size(), 8U); });

  test("an absurd number of devices is cut", [] {
    CHECK_EQ(fake::parse_control("devices 99999999\n").gpus.size(), fake::kMostGpus);
  });
}

}  // namespace

int main() {
  identity();
  codes();
  control();
  return checks::result();
}
