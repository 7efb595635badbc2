// One round over the GPUs: what is read each time, into the ring; and a slice of the slow lane.
#pragma once

#include "vendor/slow_lane.h"

namespace faultline {

struct Round {
  bool library_dead = false;
  Answer death;
  // Every call on every GPU answered "unknown": the process lost its right to the devices, the devices are well.
  bool access_lost = false;
  Answer unknown;  // that one
  std::int64_t worst_spent_ns = 0;  // longest time inside the library for one GPU, the slow lane left out
};

class Sampler {
 public:
  Sampler(Backend& backend, const BackendParts& parts, VendorDevices& devices)
      : backend_(backend), answers_(parts.answers), calls_(parts.calls), devices_(devices),
        slow_lane_(backend, parts, devices) {}

  // `slow` asks for everything that is read seldom, too: it comes in slices over the rounds from this one on.
  Round round(bool slow);

 private:
  Backend& backend_;
  Answers& answers_;
  CallContext& calls_;
  VendorDevices& devices_;
  SlowLane slow_lane_;
};

}  // namespace faultline
