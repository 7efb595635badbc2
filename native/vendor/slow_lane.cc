// When the steps of the slow lane are due.
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
// Parts of a GPU, and how hard error correction works, change slowly.
constexpr std::uint64_t kSeldom = 3;
// A GPU of the largest kind has some 350 values, and the ring 4096 places.
constexpr std::size_t kFirstAtOnce = 4;
// What was not supported is asked for again, ten minutes apart: a GPU that is split changes what it answers.
constexpr std::uint64_t kAgain = 60;

}  // namespace

SlowLane::SlowLane(Backend& backend, const BackendParts& parts, VendorDevices& devices)
    : backend_(backend), answers_(parts.answers), calls_(parts.calls), reporter_(parts.reporter), devices_(devices),
      steps_(backend.slow_steps()), processes_(backend, parts.reporter, devices.size()),
      capabilities_(backend, parts.reporter, devices.size()), at_(devices.size()) {}

void SlowLane::begin(std::int64_t now_ns) {
  if (!idle() || devices_.empty()) return;
  const auto rest = static_cast<std::int64_t>(static_cast<double>(worst_spent_ns_) / kShare);
  if (pass_ > 0 && now_ns - began_ns_ < rest) return;
  ++pass_;
  at_ = step_ = 0;
  began_ns_ = now_ns;
  gpu_spent_ns_ = worst_spent_ns_ = 0;
}

void SlowLane::run(std::int64_t now_ns) {
  if (idle()) between_passes(now_ns);
  const std::int64_t interval = last_run_ns_ == 0 ? kPeriodNs : now_ns - last_run_ns_;
  last_run_ns_ = now_ns;
  const std::int64_t slice = std::clamp(interval / kPartOfInterval, kShortestSliceNs, kLongestSliceNs);
  // One GPU a round where that fits into the period, so that values come spread; the first pass finds out what there is, and
  // its values have to fit into the ring.
  const std::size_t fit = static_cast<std::size_t>(interval * static_cast<std::int64_t>(devices_.size()) / kPeriodNs) + 1;
  const std::size_t end = std::min(devices_.size(), at_ + (pass_ <= 1 ? kFirstAtOnce : fit));
  const std::int64_t started = monotonic_now();
  while (at_ < end && !answers_.dead() && monotonic_now() - started < slice) {
    VendorDevice& device = *devices_[at_];
    bool done = device.lost || device.rest.resting(now_ns);
    if (!done) {
      const unsigned timeouts = answers_.timeouts();
      answers_.ask_again(pass_ % kAgain == 0);
      const bool step_done = step(at_);
      answers_.ask_again(false);
      if (answers_.timeouts() != timeouts) rest_after_timeout(device, reporter_);
      const std::int64_t spent = calls_.take_spent_ns();
      device.library_ns += spent;
      gpu_spent_ns_ += spent;
      done = step_done && ++step_ == steps_ + 2;
    }
    if (!done) continue;
    worst_spent_ns_ = std::max(worst_spent_ns_, gpu_spent_ns_);
    gpu_spent_ns_ = 0;
    step_ = 0;
    ++at_;
  }
}

bool SlowLane::step(std::size_t device) {
  if (step_ < steps_) return backend_.read_slow(*devices_[device], step_, {pass_, pass_ % kSeldom == 1});
  if (step_ == steps_) processes(device);
  else capabilities_.report(device, *devices_[device]);
  return true;
}

void SlowLane::processes(std::size_t device) {
  if (processes_.due(device, *devices_[device], pass_)) processes_.read(device, *devices_[device], pass_);
}

// What a job's start or end, or the driver's word, asks for between two passes; one GPU a round.
void SlowLane::between_passes(std::int64_t now_ns) {
  for (std::size_t at = 0; pass_ > 0 && at < devices_.size(); ++at) {
    VendorDevice& device = *devices_[at];
    if (!(device.processes_due || device.parts_due) || device.lost || device.rest.resting(now_ns)) continue;
    const unsigned timeouts = answers_.timeouts();
    if (std::exchange(device.parts_due, false)) backend_.list_parts(device);
    processes(at);
    if (answers_.timeouts() != timeouts) rest_after_timeout(device, reporter_);
    device.library_ns += calls_.take_spent_ns();
    return;
  }
}

}  // namespace faultline
