// GPU performance monitoring of one GPU or MIG instance (Hopper and later): shares of the time between two looks, from the
// driver's counters.
#pragma once

#include <memory>

#include "vendor/nvml/asker.h"

namespace faultline::nvml {

class Gpm {
 public:
  Gpm(Asker& asker, Gpu& gpu, std::uint32_t instance = kNoInstance)
      : asker_(&asker), gpu_(&gpu), instance_(instance) {}
  ~Gpm();
  Gpm(Gpm&& other) noexcept;
  Gpm& operator=(Gpm&&) = delete;

  // Takes a sample and gives what happened since the one before.
  void read();

 private:
  bool prepare();
  bool take();
  void metrics();

  Asker* asker_;
  Gpu* gpu_;
  std::uint32_t instance_;  // kNoInstance: of the whole GPU
  GpmSample before_ = nullptr, now_ = nullptr;
  std::int64_t before_ns_ = 0;  // 0: there is none
};

}  // namespace faultline::nvml
