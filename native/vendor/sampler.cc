// Reads what a round is made of and sorts the return codes.
#include "vendor/sampler.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace faultline {
namespace {

struct Field {
  unsigned id;
  Quantity quantity;
  double scale;
};

constexpr Field kBatchFields[]{
    {nvml::kFieldPowerInstant, Quantity::kPower, 1e-3},
    {nvml::kFieldEnergy, Quantity::kEnergy, 1e-3},
    {nvml::kFieldTimePowerCap, Quantity::kTimePowerCap, 1e-9},
    // From here on only where slowdown_times_are_known().
    {nvml::kFieldTimeSwThermal, Quantity::kTimeSwThermal, 1e-9},
    {nvml::kFieldTimeHwThermal, Quantity::kTimeHwThermal, 1e-9},
    {nvml::kFieldTimePowerBrake, Quantity::kTimePowerBrake, 1e-9},
};
constexpr unsigned kAllFields = 6;
constexpr unsigned kFieldsOfAnyDriver = 3;
constexpr unsigned kPowerField = 0;
constexpr unsigned kEnergyField = 1;
static_assert(std::size(kBatchFields) == kAllFields && kAllFields <= 8, "Sampler::Metric keeps eight bits for them");

}  // namespace

bool slowdown_times_are_known(std::string_view driver) {
  int major = 0, minor = 0;
  const char* end = driver.data() + driver.size();
  const auto parsed = std::from_chars(driver.data(), end, major);
  if (parsed.ec != std::errc{} || parsed.ptr == end || *parsed.ptr != '.') return false;
  if (std::from_chars(parsed.ptr + 1, end, minor).ec != std::errc{}) return false;
  return major > 580 || (major == 580 && minor >= 95);
}

double field_number(const nvml::FieldValue& field) {
  switch (field.valueType) {
    case nvml::kValueDouble:
      return field.value.dVal;
    case nvml::kValueUnsigned:
      return field.value.uiVal;
    case nvml::kValueUnsignedLong:
      return static_cast<double>(field.value.ulVal);
    case nvml::kValueUnsignedLongLong:
      return static_cast<double>(field.value.ullVal);
    case nvml::kValueSignedLongLong:
      return static_cast<double>(field.value.sllVal);
    case nvml::kValueSigned:
      return field.value.siVal;
    case nvml::kValueUnsignedShort:
      return field.value.usVal;
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

Sampler::Sampler(const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter, std::vector<Gpu>& gpus,
                 std::string_view driver)
    : nvml_(nvml), calls_(calls), reporter_(reporter), gpus_(gpus),
      field_count_(slowdown_times_are_known(driver) ? kAllFields : kFieldsOfAnyDriver) {}

template <class Function, class Out, class... Arguments>
bool Sampler::read(Gpu& gpu, unsigned metric, VendorCall call, Function function, Out& out, Arguments... arguments) {
  return wanted(gpu, metric) &&
         accept(gpu, metric, call, calls_.call(call, gpu.identity.index, function, gpu.handle, arguments..., &out));
}

Round Sampler::round(bool slow) {
  answers_ = unknown_ = 0;
  Round round;
  calls_.take_spent_ns();
  for (Gpu& each : gpus_) {
    if (each.lost || dead_) continue;
    const std::uint64_t before = values_;
    gpu(each, slow);
    const std::int64_t spent = calls_.take_spent_ns();
    each.library_ns += spent;
    // A sample is a sign of life: what got no value gives none.
    if (values_ != before) put(each, Quantity::kLibraryTime, static_cast<double>(each.library_ns) * 1e-9);
    if (spent > round.worst_spent_ns) round.worst_spent_ns = spent;
  }
  round.library_dead = dead_;
  round.dead_code = dead_code_;
  round.access_lost = answers_ > 0 && answers_ == unknown_;
  return round;
}

void Sampler::gpu(Gpu& gpu, bool slow) {
  fields(gpu);
  without_fields(gpu);
  unsigned long long mask = 0;
  if (read(gpu, kReasons, VendorCall::kEventReasons, nvml_.event_reasons, mask)) {
    put(gpu, Quantity::kEventReasons, static_cast<double>(mask));
  }
  temperature(gpu);
  unsigned value = 0;
  if (read(gpu, kSm, VendorCall::kClockInfo, nvml_.clock_info, value, nvml::kClockSm)) {
    put(gpu, Quantity::kSmClock, value * 1e6);
  }
  if (read(gpu, kMem, VendorCall::kClockInfo, nvml_.clock_info, value, nvml::kClockMemory)) {
    put(gpu, Quantity::kMemoryClock, value * 1e6);
  }
  if (read(gpu, kLimit, VendorCall::kEnforcedPowerLimit, nvml_.enforced_power_limit, value)) {
    put(gpu, Quantity::kPowerLimit, value * 1e-3);
  }
  nvml::Utilization use{};
  if (read(gpu, kUse, VendorCall::kUtilization, nvml_.utilization, use)) put(gpu, Quantity::kUtilization, use.gpu * 1e-2);
  if (slow && read(gpu, kSlow, VendorCall::kTemperatureThreshold, nvml_.temperature_threshold, value,
                   nvml::kThresholdSlowdown)) {
    put(gpu, Quantity::kTemperatureLimit, value);
  }
}

void Sampler::fields(Gpu& gpu) {
  if (!wanted(gpu, kBatch)) return;
  nvml::FieldValue batch[kAllFields]{};
  unsigned which[kAllFields];
  int count = 0;
  for (unsigned field = 0; field < field_count_; ++field) {
    if (!wanted(gpu, kFields + field)) continue;
    batch[count].fieldId = kBatchFields[field].id;
    which[count++] = field;
  }
  if (count == 0) return;
  constexpr VendorCall kCall = VendorCall::kFieldValues;
  const nvml::Return result = calls_.call(kCall, gpu.identity.index, nvml_.field_values, gpu.handle, count, &batch[0]);
  if (!accept(gpu, kBatch, kCall, result)) return;
  for (int i = 0; i < count; ++i) {
    // The batch succeeds while single fields fail.
    if (batch[i].nvmlReturn != nvml::kSuccess) {
      accept(gpu, kFields + which[i], kCall, batch[i].nvmlReturn);
      continue;
    }
    const Field& field = kBatchFields[which[i]];
    put(gpu, field.quantity, field_number(batch[i]) * field.scale);
  }
}

void Sampler::without_fields(Gpu& gpu) {
  const bool batch = wanted(gpu, kBatch);
  unsigned milliwatts = 0;
  if (!(batch && wanted(gpu, kFields + kPowerField)) &&
      read(gpu, kPower, VendorCall::kPowerUsage, nvml_.power_usage, milliwatts)) {
    put(gpu, Quantity::kPower, milliwatts * 1e-3);
  }
  unsigned long long millijoules = 0;
  if (!(batch && wanted(gpu, kFields + kEnergyField)) &&
      read(gpu, kJoule, VendorCall::kTotalEnergy, nvml_.total_energy, millijoules)) {
    put(gpu, Quantity::kEnergy, static_cast<double>(millijoules) * 1e-3);
  }
}

void Sampler::temperature(Gpu& gpu) {
  nvml::Temperature versioned{nvml::kTemperatureVersion, nvml::kTemperatureGpu, 0};
  if (wanted(gpu, kTempV)) {
    if (read(gpu, kTempV, VendorCall::kTemperatureV, nvml_.temperature_v, versioned)) {
      put(gpu, Quantity::kTemperature, versioned.temperature);
      return;
    }
    if (wanted(gpu, kTempV)) return;  // failed for now: the older call would fail alike
  }
  unsigned celsius = 0;
  if (read(gpu, kTemp, VendorCall::kTemperature, nvml_.temperature, celsius, nvml::kTemperatureGpu)) {
    put(gpu, Quantity::kTemperature, celsius);
  }
}

bool Sampler::accept(Gpu& gpu, unsigned metric, VendorCall call, nvml::Return result) {
  const CodeClass kind = classify(result);
  if (kind != CodeClass::kUnsupported) ++answers_;
  switch (kind) {
    case CodeClass::kOk:
      return true;
    case CodeClass::kUnsupported:
      gpu.unsupported |= std::uint64_t{1} << metric;
      break;
    case CodeClass::kDeviceDead:
      if (!gpu.lost) reporter_.device_lost(gpu.identity.index, vendor_call_name(call), result);
      gpu.lost = true;
      break;
    case CodeClass::kLibraryDead:
      dead_ = true;
      dead_code_ = result;
      break;
    case CodeClass::kUnknown:
      ++unknown_;
      break;
    case CodeClass::kTransient:
      break;
  }
  return false;
}

void Sampler::put(const Gpu& gpu, Quantity quantity, double value) {
  if (!std::isfinite(value)) return;
  ++values_;
  reporter_.sample(gpu.identity.index, quantity, monotonic_now(), value);
}

}  // namespace faultline
