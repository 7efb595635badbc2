// One round over the GPUs: one batched read and a few single calls each, into the ring; and a slice of the slow lane.
#pragma once

#include <string_view>

#include "vendor/nvml/asker.h"
#include "vendor/slow_lane.h"

namespace faultline {

struct Round {
  bool library_dead = false;
  nvml::Return dead_code = nvml::kSuccess;
  // Every call on every GPU answered "unknown": the process lost its right to the devices, the devices are well.
  bool access_lost = false;
  std::int64_t worst_spent_ns = 0;  // longest time inside the library for one GPU, the slow lane left out
};

class Sampler {
 public:
  Sampler(const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter, std::vector<Gpu>& gpus,
          std::string_view driver);

  // `slow` asks for everything that is read seldom, too: it comes in slices over the rounds from this one on.
  Round round(bool slow);

 private:
  void gpu(Gpu& gpu);
  void without_fields(Gpu& gpu);
  void temperature(Gpu& gpu);

  const NvmlLibrary& nvml_;
  Asker asker_;
  Reporter& reporter_;
  std::vector<Gpu>& gpus_;
  std::span<const Field> fields_;
  SlowLane slow_lane_;
};

}  // namespace faultline
