// The steps of the slow lane and when they are due.
#include "vendor/slow_lane.h"

#include <algorithm>
#include <utility>

namespace faultline {
namespace {

constexpr std::int64_t kPeriodNs = 10'000'000'000;  // of a pass; the caller asks for each
// Of wall time and per GPU, in the library: the rest of the one percent is the fast lane's.
constexpr double kShare = 0.0025;
// A slice is a small part of the time between two rounds.
constexpr std::int64_t kPartOfInterval = 20;
constexpr std::int64_t kShortestSliceNs = 1'000'000;
constexpr std::int64_t kLongestSliceNs = 25'000'000;
// Instances, and how hard error correction works, change slowly.
constexpr std::uint64_t kSeldom = 3;
// A GPU of the largest kind has some 350 values, and the ring 4096 places.
constexpr std::size_t kFirstAtOnce = 4;
// What was not supported is asked for again, ten minutes apart: MIG changes what a GPU answers.
constexpr std::uint64_t kAgain = 60;

}  // namespace

SlowLane::SlowLane(Asker& asker, Reporter& reporter, std::vector<Gpu>& gpus, std::string_view driver)
    : asker_(asker), reporter_(reporter), nvml_(asker.nvml), gpus_(gpus),
      state_fields_(kStateFields.data(),
                    smoothing_fields_are_known(driver) ? kStateFields.size() : kStateFieldsOfAnyDriver),
      links_(gpus.size()), instances_(asker, reporter),
      processes_(asker, reporter), capabilities_(reporter, gpus.size()), gpu_(gpus.size()) {
  gpm_.reserve(gpus.size());
  for (Gpu& gpu : gpus) gpm_.emplace_back(asker, gpu);
}

void SlowLane::begin(std::int64_t now_ns) {
  if (!idle() || gpus_.empty()) return;
  const auto rest = static_cast<std::int64_t>(static_cast<double>(worst_spent_ns_) / kShare);
  if (pass_ > 0 && now_ns - began_ns_ < rest) return;
  ++pass_;
  gpu_ = step_ = 0;
  began_ns_ = now_ns;
  gpu_spent_ns_ = worst_spent_ns_ = 0;
}

void SlowLane::run(std::int64_t now_ns) {
  static constexpr Step kSteps[]{
      // Another mode changes what the rest answers.
      &SlowLane::instances, &SlowLane::heat_and_power, &SlowLane::memory, &SlowLane::pcie,
      &SlowLane::state,     &SlowLane::margins,        &SlowLane::fabric, &SlowLane::links,
      &SlowLane::gpm,       &SlowLane::processes,      &SlowLane::capabilities,
  };
  if (idle()) between_passes(now_ns);
  const std::int64_t interval = last_run_ns_ == 0 ? kPeriodNs : now_ns - last_run_ns_;
  last_run_ns_ = now_ns;
  const std::int64_t slice = std::clamp(interval / kPartOfInterval, kShortestSliceNs, kLongestSliceNs);
  // One GPU a round where that fits into the period, so that values come spread; the first pass finds out what there is, and
  // its values have to fit into the ring.
  const std::size_t fit = static_cast<std::size_t>(interval * static_cast<std::int64_t>(gpus_.size()) / kPeriodNs) + 1;
  const std::size_t end = std::min(gpus_.size(), gpu_ + (pass_ <= 1 ? kFirstAtOnce : fit));
  const std::int64_t started = monotonic_now();
  while (gpu_ < end && !asker_.dead() && monotonic_now() - started < slice) {
    Gpu& gpu = gpus_[gpu_];
    bool done = gpu.lost || gpu.rest.resting(now_ns);
    if (!done) {
      const unsigned timeouts = asker_.timeouts();
      asker_.ask_again(pass_ % kAgain == 0);
      // Taken out first: GCC 12's bounds check miscounts an index inside a call through a pointer to a member.
      const Step step = kSteps[step_];
      const bool step_done = (this->*step)(gpu_);
      asker_.ask_again(false);
      if (asker_.timeouts() != timeouts) rest_after_timeout(gpu, reporter_);
      const std::int64_t spent = asker_.take_spent_ns();
      gpu.library_ns += spent;
      gpu_spent_ns_ += spent;
      done = step_done && ++step_ == std::size(kSteps);
    }
    if (!done) continue;
    worst_spent_ns_ = std::max(worst_spent_ns_, gpu_spent_ns_);
    gpu_spent_ns_ = 0;
    step_ = 0;
    ++gpu_;
  }
}

bool SlowLane::heat_and_power(std::size_t at) {
  Gpu& gpu = gpus_[at];
  asker_.fields(gpu, kHeatAndPowerFields, kReadHeatAndPower);
  unsigned value = 0, other = 0;
  const auto watts = [&](Quantity quantity, unsigned milliwatts) { asker_.put(gpu, quantity, number_of(milliwatts) * 1e-3); };
  // The calls of drivers that have no fields for them.
  if (!asker_.has_value(gpu, kReadHeatAndPower, kHeatAndPowerFields, Quantity::kPowerLimitDefault)) {
    if (asker_.ask(gpu, kReadPowerLimitDefault, VendorCall::kPowerLimitDefault, nvml_.power_limit_default, &value)) {
      watts(Quantity::kPowerLimitDefault, value);
    }
  }
  if (!asker_.has_value(gpu, kReadHeatAndPower, kHeatAndPowerFields, Quantity::kPowerLimitMax)) {
    if (asker_.ask(gpu, kReadPowerLimitConstraints, VendorCall::kPowerLimitConstraints, nvml_.power_limit_constraints, &value,
                   &other)) {
      watts(Quantity::kPowerLimitMin, value);
      watts(Quantity::kPowerLimitMax, other);
    }
  }
  if (!asker_.has_value(gpu, kReadHeatAndPower, kHeatAndPowerFields, Quantity::kPowerLimitRequested)) {
    if (asker_.ask(gpu, kReadPowerLimitRequested, VendorCall::kPowerLimitRequested, nvml_.power_limit_requested, &value)) {
      watts(Quantity::kPowerLimitRequested, value);
    }
  }
  if (asker_.ask(gpu, kReadSmClockMax, VendorCall::kMaxClockInfo, nvml_.max_clock_info, nvml::kClockSm, &value)) {
    asker_.put(gpu, Quantity::kSmClockMax, number_of(value) * 1e6);
  }
  if (asker_.ask(gpu, kReadMemoryClockMax, VendorCall::kMaxClockInfo, nvml_.max_clock_info, nvml::kClockMemory, &value)) {
    asker_.put(gpu, Quantity::kMemoryClockMax, number_of(value) * 1e6);
  }
  if (asker_.ask(gpu, kReadPerformanceState, VendorCall::kPerformanceState, nvml_.performance_state, &value) &&
      value < nvml::kPerformanceStateUnknown) {
    asker_.put(gpu, Quantity::kPerformanceState, value);
  }
  return true;
}

bool SlowLane::state(std::size_t gpu) {
  asker_.fields(gpus_[gpu], state_fields_, kReadState);
  return true;
}

bool SlowLane::links(std::size_t gpu) { return links_[gpu].step(asker_, gpus_[gpu], pass_ % kSeldom == 1); }

bool SlowLane::gpm(std::size_t gpu) {
  // A split GPU's share of the whole says nothing about an instance.
  if (instances_.split(gpu)) instances_.read(gpu, gpus_[gpu]);
  else gpm_[gpu].read();
  return true;
}

bool SlowLane::instances(std::size_t gpu) {
  instances_.mode(gpu, gpus_[gpu]);
  if (pass_ % kSeldom == 1 || instances_.changed(gpu)) instances_.list(gpu, gpus_[gpu]);
  return true;
}

bool SlowLane::processes(std::size_t gpu) {
  if (processes_.due(gpu, gpus_[gpu], pass_)) processes_.read(gpu, gpus_[gpu], pass_);
  return true;
}

// What a job's start or end, or the driver's word, asks for between two passes; one GPU a round.
void SlowLane::between_passes(std::int64_t now_ns) {
  for (std::size_t at = 0; pass_ > 0 && at < gpus_.size(); ++at) {
    Gpu& gpu = gpus_[at];
    if (!(gpu.processes_due || gpu.instances_due) || gpu.lost || gpu.rest.resting(now_ns)) continue;
    const unsigned timeouts = asker_.timeouts();
    if (std::exchange(gpu.instances_due, false)) {
      instances_.mode(at, gpu);
      instances_.list(at, gpu);
    }
    processes(at);
    if (asker_.timeouts() != timeouts) rest_after_timeout(gpu, reporter_);
    gpu.library_ns += asker_.take_spent_ns();
    return;
  }
}

bool SlowLane::capabilities(std::size_t gpu) {
  capabilities_.tell(gpu, gpus_[gpu], links_[gpu].text(), instances_.text(gpu));
  return true;
}

}  // namespace faultline
