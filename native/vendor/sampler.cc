// Goes over the GPUs and counts what each costs.
#include "vendor/sampler.h"

namespace faultline {

Round Sampler::round(bool slow) {
  const std::int64_t started = monotonic_now();
  answers_.begin_round();
  calls_.take_spent_ns();
  Round round;
  for (const auto& owned : devices_) {
    VendorDevice& device = *owned;
    if (device.lost || answers_.dead() || device.rest.resting(started)) continue;
    const std::uint64_t before = answers_.values();
    device.timed_out = false;
    backend_.read_fast(device);
    if (!device.timed_out) device.rest.answered();
    const std::int64_t spent = calls_.take_spent_ns();
    device.library_ns += spent;
    // A sample is a sign of life: what got no value gives none.
    if (answers_.values() != before) {
      answers_.put(device, Quantity::kLibraryTime, static_cast<double>(device.library_ns) * 1e-9);
    }
    if (spent > round.worst_spent_ns) round.worst_spent_ns = spent;
  }
  if (slow) slow_lane_.begin(started);
  if (!answers_.dead() && !answers_.all_unknown()) slow_lane_.run(started);
  round.library_dead = answers_.dead();
  round.death = answers_.death();
  round.access_lost = answers_.all_unknown();
  round.unknown = answers_.unknown();
  return round;
}

}  // namespace faultline
