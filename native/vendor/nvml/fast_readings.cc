// What a round is made of: one batched read and a few single calls.
#include "vendor/nvml/reading_steps.h"

namespace faultline::nvml {
namespace {

// NVML's reasons are the words that all vendors share, bit by bit.
constexpr bool reasons_are_words() {
  return kReasonIdle == kSlowedIdle && kReasonApplicationClocks == kSlowedByApplicationClocks &&
         kReasonSwPowerCap == kSlowedByPowerCap && kReasonHwSlowdown == kSlowedByHardware &&
         kReasonSyncBoost == kSlowedBySyncBoost && kReasonSwThermalSlowdown == kSlowedBySoftwareThermal &&
         kReasonHwThermalSlowdown == kSlowedByHardwareThermal && kReasonHwPowerBrakeSlowdown == kSlowedByPowerBrake &&
         kReasonDisplayClocks == kSlowedByDisplayClocks;
}
static_assert(reasons_are_words());
static_assert(kGpuIsLost == kLossFallenOff && kResetRequired == kLossNeedsReset);

constexpr unsigned kEnergyField = reading_of(Batch::kFast, Quantity::kEnergy);

void temperature(Asker& asker, Gpu& gpu) {
  Temperature versioned{kTemperatureVersion, kTemperatureGpu, 0};
  if (asker.wanted(gpu, kReadTemperatureV)) {
    if (asker.ask(gpu, kReadTemperatureV, VendorCall::kTemperatureV, asker.nvml.temperature_v, &versioned)) {
      gpu.temperature = versioned.temperature;
      asker.answers.put(gpu, Quantity::kTemperature, versioned.temperature);
      return;
    }
    if (asker.wanted(gpu, kReadTemperatureV)) return;  // failed for now: the older call would fail alike
  }
  unsigned celsius = 0;
  if (asker.ask(gpu, kReadTemperature, VendorCall::kTemperature, asker.nvml.temperature, kTemperatureGpu, &celsius)) {
    gpu.temperature = number_of(celsius);
    asker.answers.put(gpu, Quantity::kTemperature, gpu.temperature);
  }
}

}  // namespace

void read_fast(Asker& asker, Gpu& gpu) {
  asker.fields(gpu, Batch::kFast);
  asker.values(gpu, Batch::kFast);
  unsigned long long number = 0;
  if (!asker.has_field(gpu, kEnergyField) &&
      asker.ask(gpu, kReadTotalEnergy, VendorCall::kTotalEnergy, asker.nvml.total_energy, &number)) {
    asker.answers.put(gpu, Quantity::kEnergy, number_of(number) * 1e-3);
  }
  if (asker.ask(gpu, kReadEventReasons, VendorCall::kEventReasons, asker.nvml.event_reasons, &number)) {
    asker.answers.put(gpu, Quantity::kEventReasons, number_of(number));
  }
  temperature(asker, gpu);
  Utilization use{};
  if (asker.ask(gpu, kReadUtilization, VendorCall::kUtilization, asker.nvml.utilization, &use)) {
    asker.answers.put(gpu, Quantity::kUtilization, number_of(use.gpu) * 1e-2);
    if (gpu.work.update(use.gpu > 0, monotonic_now())) gpu.processes_due = true;
  }
}

}  // namespace faultline::nvml
