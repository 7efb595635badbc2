// Reads all GPUs in turn in small steps, and stops with each where its share of the time is spent.
#include "vendor/calibration.h"

#include <time.h>

#include <algorithm>

#include "vendor/sampler.h"
#include "vendor/sensor_series.h"

namespace faultline {
namespace {

// Published refresh periods are 10 to 100 ms (arXiv 2312.02741): two changes of the slowest fit in.
constexpr std::int64_t kWindowNs = 250'000'000;
constexpr std::int64_t kStepNs = 5'000'000;
constexpr std::int64_t kSpendNs = 20'000'000;  // per GPU: 1 % of two seconds

struct Subject {
  const Gpu* gpu;
  std::int64_t spent_ns = 0;
  bool done = false;
  SensorSeries energy, power;
};

void sleep_for(std::int64_t ns) {
  const timespec wait{0, ns};
  nanosleep(&wait, nullptr);
}

// One batch of both fields; false when this GPU cannot be calibrated.
bool read_both(const NvmlLibrary& nvml, CallContext& calls, Subject& subject, Calibration& result) {
  nvml::FieldValue fields[2]{};
  fields[0].fieldId = nvml::kFieldEnergy;
  fields[1].fieldId = nvml::kFieldPowerInstant;
  const nvml::Return code = calls.call(VendorCall::kFieldValues, subject.gpu->identity.seat, nvml.field_values,
                                       subject.gpu->handle, 2, &fields[0]);
  if (code != nvml::kSuccess) return false;
  const std::int64_t now = monotonic_now();
  bool any = false;
  for (int i = 0; i < 2; ++i) {
    if (fields[i].nvmlReturn != nvml::kSuccess) continue;
    any = true;
    (i == 0 ? subject.energy : subject.power).add(now, field_number(fields[i]));
    result.reported_us = std::max<std::int64_t>(result.reported_us, std::min<long long>(fields[i].latencyUsec, 60'000'000));
  }
  return any;
}

}  // namespace

Calibration calibrate(const NvmlLibrary& nvml, CallContext& calls, const std::vector<Gpu>& gpus) {
  Calibration result;
  if (nvml.field_values == nullptr) return result;
  std::vector<Subject> subjects;
  for (const Gpu& gpu : gpus) subjects.push_back({.gpu = &gpu, .energy = {}, .power = {}});
  std::vector<std::int64_t> costs;
  const std::int64_t end = monotonic_now() + kWindowNs;
  calls.take_spent_ns();
  for (bool any = true; any && monotonic_now() < end; sleep_for(kStepNs)) {
    any = false;
    for (Subject& subject : subjects) {
      if (subject.done) continue;
      const bool works = read_both(nvml, calls, subject, result);
      const std::int64_t spent = calls.take_spent_ns();
      // The first read wakes the device and is no measure of the others.
      if (subject.spent_ns > 0) costs.push_back(spent);
      subject.spent_ns += std::max<std::int64_t>(spent, 1);
      subject.done = !works || subject.spent_ns > kSpendNs;
      any = any || !subject.done;
      ++result.reads;
    }
  }
  for (const Subject& subject : subjects) {
    // The energy counter moves at each refresh while power may stand still.
    const std::int64_t energy = subject.energy.refresh_ns();
    result.refresh_ns = std::max(result.refresh_ns, energy != 0 ? energy : subject.power.refresh_ns());
  }
  if (!costs.empty()) {
    std::ranges::sort(costs);
    result.read_p99_ns = costs[(costs.size() - 1) * 99 / 100];
  }
  return result;
}

}  // namespace faultline
