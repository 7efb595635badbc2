// Exports that are read each tick: power, clocks, temperature, reasons, utilization.
#include <iterator>

#include "fake/exports.h"
#include "fake/fields.h"

using namespace faultline;
using faultline::fake::begin;

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
  if (error == 0) *millijoules = fake::energy_of(gpu, counters);
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

FAULTLINE_EXPORT nvml::Return nvmlDeviceGetCurrentClocksThrottleReasons(nvml::Device device, unsigned long long* reasons) {
  fake::Gpu gpu;
  fake::Counters counters;
  const int error = begin("nvmlDeviceGetCurrentClocksThrottleReasons", device, gpu, counters);
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
  // Shutdown five degrees above slowdown, the highest operating temperature two below, the memory's at 95.
  const unsigned scripted[]{gpu.slowdown_c + 5, gpu.slowdown_c, 95, gpu.slowdown_c - 2};
  if (type >= std::size(scripted)) return nvml::kNotSupported;
  *celsius = scripted[type];
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
  if (error == 0 && gpu.mig) return nvml::kNotSupported;
  if (error == 0) *utilization = {gpu.utilization, gpu.utilization / 2};
  return error;
}
