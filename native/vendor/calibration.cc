// Reads all GPUs in turn in small steps, and stops with each where its share of the time is spent.
#include "vendor/calibration.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vendor/sensor_series.h"

namespace faultline {
namespace {

// Published refresh periods are 10 to 100 ms (arXiv 2312.02741): two changes of the slowest fit in.
constexpr std::int64_t kWindowNs = 250'000'000;
constexpr std::int64_t kStepNs = 5'000'000;
constexpr std::int64_t kSpendNs = 20'000'000;  // per GPU: 1 % of two seconds

struct Subject {
  VendorDevice* device;
  std::int64_t spent_ns = 0;
  bool done = false;
  SensorSeries energy, power;
};

void sleep_for(std::int64_t ns) {
  const timespec wait{0, ns};
  nanosleep(&wait, nullptr);
}

// False when this device cannot be calibrated.
bool look_at(Backend& backend, Subject& subject, Calibration& result) {
  SensorLook look;
  if (!backend.look(*subject.device, look)) return false;
  const std::int64_t now = monotonic_now();
  if (!std::isnan(look.energy)) subject.energy.add(now, look.energy);
  if (!std::isnan(look.power)) subject.power.add(now, look.power);
  result.reported_us = std::max(result.reported_us, std::min<std::int64_t>(look.reported_us, 60'000'000));
  return true;
}

}  // namespace

Calibration calibrate(Backend& backend, CallContext& calls, const VendorDevices& devices) {
  Calibration result;
  if (!backend.has_sensors()) return result;
  std::vector<Subject> subjects;
  for (const auto& device : devices) subjects.push_back({.device = device.get(), .energy = {}, .power = {}});
  std::vector<std::int64_t> costs;
  const std::int64_t end = monotonic_now() + kWindowNs;
  calls.take_spent_ns();
  for (bool any = true; any && monotonic_now() < end; sleep_for(kStepNs)) {
    any = false;
    for (Subject& subject : subjects) {
      if (subject.done) continue;
      const bool works = look_at(backend, subject, result);
      const std::int64_t spent = calls.take_spent_ns();
      // The first read wakes the device and is not a measure of the others.
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
