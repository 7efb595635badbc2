// Numbers at the limits of their types stand for "no value", in whatever type they come.
#include <cmath>
#include <limits>

#include "check.h"
#include "child_parts.h"

using namespace faultline;
using checks::ChildParts;
using checks::test;

namespace {

nvml::FieldValue field_of(unsigned type, unsigned long long bits) {
  nvml::FieldValue field{};
  field.valueType = type;
  field.value.ullVal = bits;
  return field;
}

nvml::FieldValue field_of(double value) {
  nvml::FieldValue field{};
  field.valueType = nvml::kValueDouble;
  field.value.dVal = value;
  return field;
}

void numbers() {
  test("blanks are absent in every integer type, and their neighbours are not", [] {
    for (const unsigned long long blank : {2147483632ULL, 2147483635ULL, 4294967295ULL}) {
      for (const unsigned type : {nvml::kValueUnsigned, nvml::kValueUnsignedLong, nvml::kValueUnsignedLongLong}) {
        CHECK(std::isnan(nvml::field_number(field_of(type, blank))));
      }
    }
    for (const unsigned type : {nvml::kValueSigned, nvml::kValueSignedLongLong}) {
      CHECK(std::isnan(nvml::field_number(field_of(type, 2147483633ULL))));
    }
    for (const unsigned long long blank : {9223372036854775792ULL, 9223372036854775795ULL, 18446744073709551615ULL}) {
      CHECK(std::isnan(nvml::field_number(field_of(nvml::kValueUnsignedLongLong, blank))));
    }
    CHECK_EQ(nvml::field_number(field_of(nvml::kValueUnsigned, 2147483631)), 2147483631.0);
    CHECK_EQ(nvml::field_number(field_of(nvml::kValueUnsigned, 2147483648)), 2147483648.0);
    CHECK_EQ(nvml::field_number(field_of(nvml::kValueUnsigned, 4294967279)), 4294967279.0);
    CHECK_EQ(nvml::field_number(field_of(nvml::kValueUnsignedLongLong, 4294967296)), 4294967296.0);
    CHECK_EQ(nvml::field_number(field_of(nvml::kValueUnsignedLongLong, 200'000'000'000'000)), 2e14);
    CHECK_EQ(nvml::field_number(field_of(nvml::kValueUnsignedShort, 65535)), 65535.0);
    CHECK_EQ(nvml::field_number(field_of(nvml::kValueSigned, 0xfffffff8)), -8.0);
  });

  test("blank, infinite and undefined doubles are absent", [] {
    for (const double blank : {140737488355328.0, 140737488355330.0, std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      CHECK(std::isnan(nvml::field_number(field_of(blank))));
    }
    CHECK_EQ(nvml::field_number(field_of(-1.5)), -1.5);
    CHECK(std::isnan(nvml::field_number(field_of(7U, 1))));
  });

  test("a bit error rate is mantissa and exponent; without an error it is zero, and more bits do not make a rate", [] {
    CHECK_NEAR(nvml::bit_error_rate(0x30c), 3e-12, 1e-24);
    CHECK_EQ(nvml::bit_error_rate(0xfff), 0.0);
    CHECK_EQ(nvml::bit_error_rate(0), 0.0);
    CHECK(std::isnan(nvml::bit_error_rate(0x1000)));
    CHECK(std::isnan(nvml::bit_error_rate(-1)));
    CHECK(std::isnan(nvml::bit_error_rate(std::nan(""))));
  });

  test("what a quantity cannot be is not taken", [] {
    CHECK(is_plausible(Quantity::kPower, 712) && !is_plausible(Quantity::kPower, 4'294'967.295));
    CHECK(!is_plausible(Quantity::kPower, -1) && !is_plausible(Quantity::kEccCorrected, -1));
    CHECK(is_plausible(Quantity::kMarginGpu, -12) && is_plausible(Quantity::kTemperature, -5));
    CHECK(!is_plausible(Quantity::kTemperature, 255) && !is_plausible(Quantity::kMemoryTemperature, 2147483647.0));
    CHECK(is_plausible(Quantity::kUtilization, 1) && !is_plausible(Quantity::kUtilization, 1.5));
  });
}

void through_the_lanes() {
  test("blanks from the library never become samples", [] {
    std::string text = "devices 1\ngpu.0.power_mw 4294967295\ngpu.0.temperature 2147483633\ngpu.0.sm_clock_mhz 2147483632\n"
                       "gpu.0.utilization 101\ngpu.0.energy_mj 18446744073709551615\ngpu.0.power_limit_mw 4294967295\n";
    for (const int id : {3, 82, 94, 142, 187, 230}) {
      text += "gpu.0.field." + std::to_string(id) + ".type 3\ngpu.0.field." + std::to_string(id) +
              ".bits 9223372036854775794\n";
    }
    text += "gpu.0.gpm.2 140737488355328\ngpu.0.value.nvmlDeviceGetCurrPcieLinkWidth 4294967295\n"
            "gpu.0.value.nvmlDeviceGetPerformanceState 32\ngpu.0.field.143.type 5\ngpu.0.field.143 -1\n";
    ChildParts child(text);
    Sampler sampler(child.backend, child.parts, child.devices);
    sampler.round(false);
    child.drain();
    for (const Quantity quantity : {Quantity::kPower, Quantity::kTemperature, Quantity::kSmClock, Quantity::kUtilization,
                                    Quantity::kEnergy, Quantity::kPowerLimit}) {
      CHECK(!child.has(quantity));
    }
    CHECK(child.has(Quantity::kMemoryClock));
    child.pass();
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    child.pass();
    for (const Quantity quantity :
         {Quantity::kEccCorrected, Quantity::kMemoryTemperature, Quantity::kPcieReplays, Quantity::kRemapCorrected,
          Quantity::kRemapUncorrected, Quantity::kPowerLimitMin, Quantity::kRecoveryAction, Quantity::kSmUtilization,
          Quantity::kPcieWidth, Quantity::kPerformanceState}) {
      CHECK(!child.has(quantity));
    }
    CHECK(child.has(Quantity::kSmOccupancy));
    CHECK_EQ(child.corrupt(), 0U);
  });
}

}  // namespace

int main() {
  numbers();
  through_the_lanes();
  return checks::result();
}
