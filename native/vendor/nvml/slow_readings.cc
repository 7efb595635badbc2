// The slow lane's steps that are single calls: memory and its errors, thermal margins, the NVLink fabric.
#include "vendor/nvml/reading_steps.h"

namespace faultline::nvml {
namespace {

constexpr unsigned kPowerLimitMaxField = reading_of(Batch::kHeatAndPower, Quantity::kPowerLimitMax);

constexpr std::span kMargins = fields_of(Batch::kMargins);
static_assert(kMargins[0].quantity == Quantity::kMarginShutdown && kMargins[1].quantity == Quantity::kMarginSlowdown &&
              kMargins[2].quantity == Quantity::kMarginGpu);

}  // namespace

void read_memory(Asker& asker, Gpu& gpu) {
  asker.fields(gpu, Batch::kMemory);
  unsigned mode = 0, pending = 0;
  if (asker.ask(gpu, kReadEccMode, VendorCall::kEccMode, asker.nvml.ecc_mode, &mode, &pending)) {
    asker.answers.put(gpu, Quantity::kEccMode, number_of(mode));
  }
  static constexpr struct {
    Reading reading;
    unsigned error, place;
    Quantity quantity;
  } kPlaces[]{
      {kReadSramCorrected, kErrorCorrected, kPlaceSram, Quantity::kEccSramCorrected},
      {kReadSramUncorrected, kErrorUncorrected, kPlaceSram, Quantity::kEccSramUncorrected},
      {kReadDramCorrected, kErrorCorrected, kPlaceDram, Quantity::kEccDramCorrected},
      {kReadDramUncorrected, kErrorUncorrected, kPlaceDram, Quantity::kEccDramUncorrected},
  };
  for (const auto& each : kPlaces) {
    unsigned long long count = 0;
    if (asker.ask(gpu, each.reading, VendorCall::kMemoryErrorCounter, asker.nvml.memory_error_counter, each.error,
                   kCounterVolatile, each.place, &count)) {
      asker.answers.put(gpu, each.quantity, number_of(count));
    }
  }
  RowHistogram banks{};
  if (asker.ask(gpu, kReadRowHistogram, VendorCall::kRowRemapperHistogram, asker.nvml.row_histogram, &banks)) {
    asker.answers.put(gpu, Quantity::kRemapBanksFull, number_of(banks.max));
    asker.answers.put(gpu, Quantity::kRemapBanksHigh, number_of(banks.high));
    asker.answers.put(gpu, Quantity::kRemapBanksPartial, number_of(banks.partial));
    asker.answers.put(gpu, Quantity::kRemapBanksLow, number_of(banks.low));
    asker.answers.put(gpu, Quantity::kRemapBanksNone, number_of(banks.none));
  }
  SramErrors sram{};
  sram.version = kSramErrorsVersion;
  if (asker.ask(gpu, kReadSramStatus, VendorCall::kSramEccErrorStatus, asker.nvml.sram_errors, &sram)) {
    asker.answers.put(gpu, Quantity::kEccSramThreshold, number_of(sram.bThresholdExceeded));
  }
  MemoryV2 memory{};
  memory.version = kMemoryV2Version;
  Memory older{};
  if (asker.ask(gpu, kReadMemoryInfoV2, VendorCall::kMemoryInfo, asker.nvml.memory_info_v2, &memory)) {
    gpu.memory_used = number_of(memory.used);
    asker.answers.put(gpu, Quantity::kMemoryUsed, number_of(memory.used));
    asker.answers.put(gpu, Quantity::kMemoryTotal, number_of(memory.total));
  } else if (!asker.wanted(gpu, kReadMemoryInfoV2) &&
             asker.ask(gpu, kReadMemoryInfo, VendorCall::kMemoryInfo, asker.nvml.memory_info, &older)) {
    gpu.memory_used = number_of(older.used);
    asker.answers.put(gpu, Quantity::kMemoryUsed, number_of(older.used));
    asker.answers.put(gpu, Quantity::kMemoryTotal, number_of(older.total));
  }
}

void read_heat_and_power(Asker& asker, Gpu& gpu) {
  asker.fields(gpu, Batch::kHeatAndPower);
  unsigned least = 0, most = 0;
  if (!asker.has_field(gpu, kPowerLimitMaxField) &&
      asker.ask(gpu, kReadPowerLimitConstraints, VendorCall::kPowerLimitConstraints, asker.nvml.power_limit_constraints,
                &least, &most)) {
    asker.answers.put(gpu, Quantity::kPowerLimitMin, number_of(least) * 1e-3);
    asker.answers.put(gpu, Quantity::kPowerLimitMax, number_of(most) * 1e-3);
  }
  asker.values(gpu, Batch::kHeatAndPower);
}

// The fields are thresholds on the scale of the T.Limit, on which the margin call says where the GPU is: zero is where
// slowdown begins, and what is beyond it is below zero. Older GPUs have thresholds in degrees.
void read_margins(Asker& asker, Gpu& gpu) {
  bool known[kMargins.size()]{};
  MarginTemperature margin{kMarginTemperatureVersion, 0};
  if (asker.ask(gpu, kReadMargin, VendorCall::kMarginTemperature, asker.nvml.margin_temperature, &margin)) {
    FieldValue limits[kMargins.size()]{};
    for (std::size_t row = 0; row < kMargins.size(); ++row) limits[row].fieldId = kMargins[row].id;
    constexpr VendorCall kCall = VendorCall::kFieldValues;
    const Return result =
        asker.call_plain(gpu, kCall, asker.nvml.field_values, gpu.handle, static_cast<int>(kMargins.size()), &limits[0]);
    for (std::size_t row = 0; row < kMargins.size(); ++row) {
      const Return each = result == kSuccess ? limits[row].nvmlReturn : result;
      if (!asker.accept(gpu, reading_of(kMargins[row]), kCall, each)) continue;
      asker.answers.put(gpu, kMargins[row].quantity, margin.marginTemperature - field_number(limits[row]));
      known[row] = true;
    }
  }
  unsigned celsius = 0;
  const auto threshold = [&](Reading reading, unsigned type) {
    return asker.ask(gpu, reading, VendorCall::kTemperatureThreshold, asker.nvml.temperature_threshold, type, &celsius);
  };
  if (threshold(kReadThresholdSlowdown, kThresholdSlowdown)) {
    asker.answers.put(gpu, Quantity::kTemperatureLimit, number_of(celsius));
    if (!known[1]) asker.answers.put(gpu, Quantity::kMarginSlowdown, number_of(celsius) - gpu.temperature);
  }
  if (!known[0] && threshold(kReadThresholdShutdown, kThresholdShutdown)) {
    asker.answers.put(gpu, Quantity::kMarginShutdown, number_of(celsius) - gpu.temperature);
  }
  if (!known[2] && threshold(kReadThresholdGpu, kThresholdGpuMax)) {
    asker.answers.put(gpu, Quantity::kMarginGpu, number_of(celsius) - gpu.temperature);
  }
  // There is no margin call for memory.
  if (threshold(kReadThresholdMemory, kThresholdMemoryMax)) {
    asker.answers.put(gpu, Quantity::kMarginMemory, number_of(celsius) - gpu.memory_temperature);
  }
}

void read_fabric(Asker& asker, Gpu& gpu) {
  const auto put = [&](unsigned state, Return status) {
    asker.answers.put(gpu, Quantity::kFabricState, state);
    // Before the registration is over its status says nothing.
    if (state == kFabricCompleted) asker.answers.put(gpu, Quantity::kFabricStatus, status);
  };
  FabricInfoV3 third{};
  third.version = kFabricInfoV3Version;
  if (asker.ask(gpu, kReadFabricV3, VendorCall::kFabricInfo, asker.nvml.fabric_info_v, static_cast<void*>(&third))) {
    put(third.state, third.status);
    if (third.state == kFabricCompleted) asker.answers.put(gpu, Quantity::kFabricHealth, number_of(third.healthMask));
    return;
  }
  if (asker.wanted(gpu, kReadFabricV3)) return;  // failed for now
  FabricInfoV2 second{};
  second.version = kFabricInfoV2Version;
  if (asker.ask(gpu, kReadFabricV2, VendorCall::kFabricInfo, asker.nvml.fabric_info_v, static_cast<void*>(&second))) {
    put(second.state, second.status);
    if (second.state == kFabricCompleted) asker.answers.put(gpu, Quantity::kFabricHealth, number_of(second.healthMask));
    return;
  }
  if (asker.wanted(gpu, kReadFabricV2)) return;
  FabricInfo first{};
  if (asker.ask(gpu, kReadFabric, VendorCall::kFabricInfoOld, asker.nvml.fabric_info, &first)) put(first.state, first.status);
}

}  // namespace faultline::nvml
