// Exports that read values: power, clocks, temperature, reasons, utilization, and the batched fields.
#include "fake/exports.h"

using namespace faultline;
using faultline::fake::begin;

namespace {

unsigned long long energy(const fake::Gpu& gpu, const fake::Counters& counters) {
  return gpu.energy_mj ? *gpu.energy_mj : static_cast<unsigned long long>(counters.energy_mj);
}

void fill(nvml::FieldValue& field, const fake::Gpu& gpu, const fake::Counters& counters) {
  field.nvmlReturn = nvml::kSuccess;
  field.valueType = nvml::kValueUnsignedLongLong;
  field.latencyUsec = 1;
  switch (field.fieldId) {
    case nvml::kFieldPowerInstant:
      field.valueType = nvml::kValueUnsigned;
      field.value.uiVal = gpu.power_mw;
      return;
    case nvml::kFieldEnergy:
      field.value.ullVal = energy(gpu, counters);
      return;
    case nvml::kFieldTimePowerCap:
      field.value.ullVal = counters.power_cap_ns;
      return;
    case nvml::kFieldTimeSwThermal:
      field.value.ullVal = counters.sw_thermal_ns;
      return;
    case nvml::kFieldTimeHwThermal:
      field.value.ullVal = counters.hw_thermal_ns;
      return;
    case nvml::kFieldTimePowerBrake:
      field.value.ullVal = counters.power_brake_ns;
      return;
    default:
      field.nvmlReturn = nvml::kInvalidArgument;
  }
}

}  // namespace

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetFieldValues(nvml::Device device, int count, nvml::FieldValue* values) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetFieldValues", device, gpu, counters);
  if (error != 0) return error;
  if (count <= 0 || values == nullptr) return nvml::kInvalidArgument;
  for (int i = 0; i < count; ++i) fill(values[i], gpu, counters);
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetPowerUsage(nvml::Device device, unsigned* milliwatts) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetPowerUsage", device, gpu, counters);
  if (error == 0) *milliwatts = gpu.power_mw;
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetTotalEnergyConsumption(nvml::Device device, unsigned long long* millijoules) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetTotalEnergyConsumption", device, gpu, counters);
  if (error == 0) *millijoules = energy(gpu, counters);
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetEnforcedPowerLimit(nvml::Device device, unsigned* milliwatts) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetEnforcedPowerLimit", device, gpu, counters);
  if (error == 0) *milliwatts = gpu.power_limit_mw;
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetCurrentClocksEventReasons(nvml::Device device, unsigned long long* reasons) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetCurrentClocksEventReasons", device, gpu, counters);
  if (error == 0) *reasons = gpu.reasons;
  return error;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetTemperatureV(nvml::Device device, nvml::Temperature* temperature) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetTemperatureV", device, gpu, counters);
  if (error != 0) return error;
  if (temperature->version != nvml::kTemperatureVersion) return nvml::kArgumentVersionMismatch;
  if (temperature->sensorType != nvml::kTemperatureGpu) return nvml::kInvalidArgument;
  temperature->temperature = static_cast<int>(gpu.temperature);
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetTemperature(nvml::Device device, unsigned sensor, unsigned* celsius) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetTemperature", device, gpu, counters);
  if (error != 0) return error;
  if (sensor != nvml::kTemperatureGpu) return nvml::kInvalidArgument;
  *celsius = gpu.temperature;
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetTemperatureThreshold(nvml::Device device, unsigned type, unsigned* celsius) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetTemperatureThreshold", device, gpu, counters);
  if (error != 0) return error;
  if (type != nvml::kThresholdSlowdown) return nvml::kNotSupported;
  *celsius = gpu.slowdown_c;
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetClockInfo(nvml::Device device, unsigned type, unsigned* megahertz) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetClockInfo", device, gpu, counters);
  if (error != 0) return error;
  if (type != nvml::kClockSm && type != nvml::kClockMemory) return nvml::kNotSupported;
  *megahertz = type == nvml::kClockSm ? gpu.sm_clock_mhz : gpu.memory_clock_mhz;
  return nvml::kSuccess;
}

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetUtilizationRates(nvml::Device device, nvml::Utilization* utilization) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetUtilizationRates", device, gpu, counters);
  if (error == 0) *utilization = {gpu.utilization, gpu.utilization / 2};
  return error;
}
