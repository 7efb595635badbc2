// The slow lane's steps that are single calls: memory and its errors, the PCIe link, thermal margins, the NVLink fabric.
#include <cstring>

#include "vendor/slow_lane.h"

namespace faultline {

bool SlowLane::memory(std::size_t at) {
  Gpu& gpu = gpus_[at];
  asker_.fields(gpu, kMemoryFields, kReadMemory);
  unsigned mode = 0, pending = 0;
  if (asker_.ask(gpu, kReadEccMode, VendorCall::kEccMode, nvml_.ecc_mode, &mode, &pending)) {
    asker_.put(gpu, Quantity::kEccMode, number_of(mode));
  }
  static constexpr struct {
    Reading reading;
    unsigned error, place;
    Quantity quantity;
  } kPlaces[]{
      {kReadSramCorrected, nvml::kErrorCorrected, nvml::kPlaceSram, Quantity::kEccSramCorrected},
      {kReadSramUncorrected, nvml::kErrorUncorrected, nvml::kPlaceSram, Quantity::kEccSramUncorrected},
      {kReadDramCorrected, nvml::kErrorCorrected, nvml::kPlaceDram, Quantity::kEccDramCorrected},
      {kReadDramUncorrected, nvml::kErrorUncorrected, nvml::kPlaceDram, Quantity::kEccDramUncorrected},
  };
  for (const auto& each : kPlaces) {
    unsigned long long count = 0;
    if (asker_.ask(gpu, each.reading, VendorCall::kMemoryErrorCounter, nvml_.memory_error_counter, each.error,
                   nvml::kCounterVolatile, each.place, &count)) {
      asker_.put(gpu, each.quantity, number_of(count));
    }
  }
  nvml::RowHistogram banks{};
  if (asker_.ask(gpu, kReadRowHistogram, VendorCall::kRowRemapperHistogram, nvml_.row_histogram, &banks)) {
    asker_.put(gpu, Quantity::kRemapBanksFull, number_of(banks.max));
    asker_.put(gpu, Quantity::kRemapBanksHigh, number_of(banks.high));
    asker_.put(gpu, Quantity::kRemapBanksPartial, number_of(banks.partial));
    asker_.put(gpu, Quantity::kRemapBanksLow, number_of(banks.low));
    asker_.put(gpu, Quantity::kRemapBanksNone, number_of(banks.none));
  }
  nvml::SramErrors sram{};
  sram.version = nvml::kSramErrorsVersion;
  if (asker_.ask(gpu, kReadSramStatus, VendorCall::kSramEccErrorStatus, nvml_.sram_errors, &sram)) {
    asker_.put(gpu, Quantity::kEccSramThreshold, number_of(sram.bThresholdExceeded));
  }
  nvml::MemoryV2 memory{};
  memory.version = nvml::kMemoryV2Version;
  nvml::Memory older{};
  if (asker_.ask(gpu, kReadMemoryInfoV2, VendorCall::kMemoryInfo, nvml_.memory_info_v2, &memory)) {
    gpu.memory_used = number_of(memory.used);
    asker_.put(gpu, Quantity::kMemoryUsed, number_of(memory.used));
    asker_.put(gpu, Quantity::kMemoryTotal, number_of(memory.total));
  } else if (!asker_.wanted(gpu, kReadMemoryInfoV2) &&
             asker_.ask(gpu, kReadMemoryInfo, VendorCall::kMemoryInfo, nvml_.memory_info, &older)) {
    gpu.memory_used = number_of(older.used);
    asker_.put(gpu, Quantity::kMemoryUsed, number_of(older.used));
    asker_.put(gpu, Quantity::kMemoryTotal, number_of(older.total));
  }
  return true;
}

bool SlowLane::pcie(std::size_t at) {
  Gpu& gpu = gpus_[at];
  asker_.fields(gpu, kPcieFields, kReadPcie);
  unsigned value = 0;
  const auto put = [&](Quantity quantity) { asker_.put(gpu, quantity, number_of(value)); };
  if (!asker_.has_value(gpu, kReadPcie, kPcieFields, Quantity::kPcieReplays) &&
      asker_.ask(gpu, kReadPcieReplays, VendorCall::kPcieReplays, nvml_.pcie_replays, &value)) {
    put(Quantity::kPcieReplays);
  }
  if (asker_.ask(gpu, kReadPcieGeneration, VendorCall::kPcieGeneration, nvml_.pcie_generation, &value)) {
    put(Quantity::kPcieGeneration);
  }
  if (asker_.ask(gpu, kReadPcieWidth, VendorCall::kPcieWidth, nvml_.pcie_width, &value)) put(Quantity::kPcieWidth);
  if (asker_.ask(gpu, kReadPcieGenerationMax, VendorCall::kPcieGenerationMax, nvml_.pcie_generation_max, &value)) {
    put(Quantity::kPcieGenerationMax);
  }
  if (asker_.ask(gpu, kReadPcieWidthMax, VendorCall::kPcieWidthMax, nvml_.pcie_width_max, &value)) {
    put(Quantity::kPcieWidthMax);
  }
  return true;
}

// The fields are thresholds on the scale of the T.Limit, on which the margin call says where the GPU is: zero is where
// slowdown begins, and what is beyond it is below zero. Older GPUs have thresholds in degrees.
bool SlowLane::margins(std::size_t at) {
  Gpu& gpu = gpus_[at];
  bool told[kMarginFields.size()]{};
  nvml::MarginTemperature margin{nvml::kMarginTemperatureVersion, 0};
  if (asker_.ask(gpu, kReadMargin, VendorCall::kMarginTemperature, nvml_.margin_temperature, &margin)) {
    nvml::FieldValue limits[kMarginFields.size()]{};
    for (std::size_t row = 0; row < kMarginFields.size(); ++row) limits[row].fieldId = kMarginFields[row].id;
    constexpr VendorCall kCall = VendorCall::kFieldValues;
    const nvml::Return result =
        asker_.call_plain(gpu, kCall, nvml_.field_values, gpu.handle, static_cast<int>(kMarginFields.size()), &limits[0]);
    for (std::size_t row = 0; row < kMarginFields.size(); ++row) {
      const nvml::Return each = result == nvml::kSuccess ? limits[row].nvmlReturn : result;
      if (!asker_.accept(gpu, kReadMargins + static_cast<unsigned>(row), kCall, each)) continue;
      asker_.put(gpu, kMarginFields[row].quantity, margin.marginTemperature - field_number(limits[row]));
      told[row] = true;
    }
  }
  unsigned celsius = 0;
  const auto threshold = [&](Reading reading, unsigned type) {
    return asker_.ask(gpu, reading, VendorCall::kTemperatureThreshold, nvml_.temperature_threshold, type, &celsius);
  };
  if (threshold(kReadThresholdSlowdown, nvml::kThresholdSlowdown)) {
    asker_.put(gpu, Quantity::kTemperatureLimit, number_of(celsius));
    if (!told[1]) asker_.put(gpu, Quantity::kMarginSlowdown, number_of(celsius) - gpu.temperature);
  }
  if (!told[0] && threshold(kReadThresholdShutdown, nvml::kThresholdShutdown)) {
    asker_.put(gpu, Quantity::kMarginShutdown, number_of(celsius) - gpu.temperature);
  }
  if (!told[2] && threshold(kReadThresholdGpu, nvml::kThresholdGpuMax)) {
    asker_.put(gpu, Quantity::kMarginGpu, number_of(celsius) - gpu.temperature);
  }
  // There is no margin call for memory.
  if (threshold(kReadThresholdMemory, nvml::kThresholdMemoryMax)) {
    asker_.put(gpu, Quantity::kMarginMemory, number_of(celsius) - gpu.memory_temperature);
  }
  return true;
}

bool SlowLane::fabric(std::size_t at) {
  Gpu& gpu = gpus_[at];
  const auto put = [&](unsigned state, nvml::Return status) {
    asker_.put(gpu, Quantity::kFabricState, state);
    // Before the registration is over its status says nothing.
    if (state == nvml::kFabricCompleted) asker_.put(gpu, Quantity::kFabricStatus, status);
  };
  nvml::FabricInfoV3 third{};
  third.version = nvml::kFabricInfoV3Version;
  if (asker_.ask(gpu, kReadFabricV3, VendorCall::kFabricInfo, nvml_.fabric_info_v, static_cast<void*>(&third))) {
    put(third.state, third.status);
    if (third.state == nvml::kFabricCompleted) asker_.put(gpu, Quantity::kFabricHealth, number_of(third.healthMask));
    return true;
  }
  if (asker_.wanted(gpu, kReadFabricV3)) return true;  // failed for now
  nvml::FabricInfoV2 second{};
  second.version = nvml::kFabricInfoV2Version;
  if (asker_.ask(gpu, kReadFabricV2, VendorCall::kFabricInfo, nvml_.fabric_info_v, static_cast<void*>(&second))) {
    put(second.state, second.status);
    if (second.state == nvml::kFabricCompleted) asker_.put(gpu, Quantity::kFabricHealth, number_of(second.healthMask));
    return true;
  }
  if (asker_.wanted(gpu, kReadFabricV2)) return true;
  nvml::FabricInfo first{};
  if (asker_.ask(gpu, kReadFabric, VendorCall::kFabricInfoOld, nvml_.fabric_info, &first)) put(first.state, first.status);
  return true;
}

}  // namespace faultline
