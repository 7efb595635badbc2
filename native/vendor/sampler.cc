// Reads what a round is made of.
#include "vendor/sampler.h"

namespace faultline {
namespace {

constexpr unsigned kPowerField = kReadFastField;
constexpr unsigned kEnergyField = kReadFastField + 1;
static_assert(kFastFields[0].quantity == Quantity::kPower && kFastFields[1].quantity == Quantity::kEnergy);

}  // namespace

Sampler::Sampler(const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter, std::vector<Gpu>& gpus,
                 std::string_view driver)
    : nvml_(nvml), asker_(nvml, calls, reporter), reporter_(reporter), gpus_(gpus),
      fields_(kFastFields.data(), slowdown_times_are_known(driver) ? kFastFields.size() : kFastFieldsOfAnyDriver),
      slow_lane_(asker_, reporter, gpus, driver) {}

Round Sampler::round(bool slow) {
  const std::int64_t started = monotonic_now();
  asker_.begin_round();
  asker_.take_spent_ns();
  Round round;
  for (Gpu& each : gpus_) {
    if (each.lost || asker_.dead() || each.rest.resting(started)) continue;
    const std::uint64_t before = asker_.values();
    each.timed_out = false;
    gpu(each);
    if (!each.timed_out) each.rest.answered();
    const std::int64_t spent = asker_.take_spent_ns();
    each.library_ns += spent;
    // A sample is a sign of life: what got no value gives none.
    if (asker_.values() != before) asker_.put(each, Quantity::kLibraryTime, static_cast<double>(each.library_ns) * 1e-9);
    if (spent > round.worst_spent_ns) round.worst_spent_ns = spent;
  }
  if (slow) slow_lane_.begin(started);
  if (!asker_.dead() && !asker_.all_unknown()) slow_lane_.run(started);
  round.library_dead = asker_.dead();
  round.dead_code = asker_.dead_code();
  round.access_lost = asker_.all_unknown();
  return round;
}

void Sampler::gpu(Gpu& gpu) {
  asker_.fields(gpu, fields_, kReadFastField);
  without_fields(gpu);
  unsigned long long mask = 0;
  if (asker_.ask(gpu, kReadEventReasons, VendorCall::kEventReasons, nvml_.event_reasons, &mask)) {
    asker_.put(gpu, Quantity::kEventReasons, number_of(mask));
  }
  temperature(gpu);
  unsigned value = 0;
  if (asker_.ask(gpu, kReadSmClock, VendorCall::kClockInfo, nvml_.clock_info, nvml::kClockSm, &value)) {
    asker_.put(gpu, Quantity::kSmClock, number_of(value) * 1e6);
  }
  if (asker_.ask(gpu, kReadMemoryClock, VendorCall::kClockInfo, nvml_.clock_info, nvml::kClockMemory, &value)) {
    asker_.put(gpu, Quantity::kMemoryClock, number_of(value) * 1e6);
  }
  if (asker_.ask(gpu, kReadPowerLimit, VendorCall::kEnforcedPowerLimit, nvml_.enforced_power_limit, &value)) {
    asker_.put(gpu, Quantity::kPowerLimit, number_of(value) * 1e-3);
  }
  nvml::Utilization use{};
  if (asker_.ask(gpu, kReadUtilization, VendorCall::kUtilization, nvml_.utilization, &use)) {
    asker_.put(gpu, Quantity::kUtilization, number_of(use.gpu) * 1e-2);
    if (gpu.work.update(use.gpu > 0, monotonic_now())) gpu.processes_due = true;
  }
}

void Sampler::without_fields(Gpu& gpu) {
  const bool batch = nvml_.field_values != nullptr;
  unsigned milliwatts = 0;
  if (!(batch && asker_.wanted(gpu, kPowerField)) &&
      asker_.ask(gpu, kReadPowerUsage, VendorCall::kPowerUsage, nvml_.power_usage, &milliwatts)) {
    asker_.put(gpu, Quantity::kPower, number_of(milliwatts) * 1e-3);
  }
  unsigned long long millijoules = 0;
  if (!(batch && asker_.wanted(gpu, kEnergyField)) &&
      asker_.ask(gpu, kReadTotalEnergy, VendorCall::kTotalEnergy, nvml_.total_energy, &millijoules)) {
    asker_.put(gpu, Quantity::kEnergy, number_of(millijoules) * 1e-3);
  }
}

void Sampler::temperature(Gpu& gpu) {
  nvml::Temperature versioned{nvml::kTemperatureVersion, nvml::kTemperatureGpu, 0};
  if (asker_.wanted(gpu, kReadTemperatureV)) {
    if (asker_.ask(gpu, kReadTemperatureV, VendorCall::kTemperatureV, nvml_.temperature_v, &versioned)) {
      gpu.temperature = versioned.temperature;
      asker_.put(gpu, Quantity::kTemperature, versioned.temperature);
      return;
    }
    if (asker_.wanted(gpu, kReadTemperatureV)) return;  // failed for now: the older call would fail alike
  }
  unsigned celsius = 0;
  if (asker_.ask(gpu, kReadTemperature, VendorCall::kTemperature, nvml_.temperature, nvml::kTemperatureGpu, &celsius)) {
    gpu.temperature = number_of(celsius);
    asker_.put(gpu, Quantity::kTemperature, gpu.temperature);
  }
}

}  // namespace faultline
