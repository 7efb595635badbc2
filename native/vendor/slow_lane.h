// Everything that is read seldom, GPU by GPU in short steps between the fast rounds, so that it delays none of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vendor/backend.h"
#include "vendor/capabilities.h"
#include "vendor/processes.h"

namespace faultline {

class SlowLane {
 public:
  SlowLane(Backend& backend, const BackendParts& parts, VendorDevices& devices);

  // Asks for a pass over all GPUs; nothing while one is under way, or when the last one was too dear to come again yet.
  void begin(std::int64_t now_ns);
  // The next slice of the pass: at least one step, and no more of them than fit into the slice.
  void run(std::int64_t now_ns);
  bool idle() const { return at_ >= devices_.size(); }

 private:
  // The backend's steps, then the processes, then what came of it all. False when there is more to do of this one.
  bool step(std::size_t device);
  void processes(std::size_t device);
  void between_passes(std::int64_t now_ns);

  Backend& backend_;
  Answers& answers_;
  CallContext& calls_;
  Reporter& reporter_;
  VendorDevices& devices_;
  const std::size_t steps_;
  Processes processes_;
  CapabilityReporter capabilities_;

  std::uint64_t pass_ = 0;         // counts from 1
  std::size_t at_, step_ = 0;      // where the pass is; at_ is beyond the last GPU between passes
  std::int64_t began_ns_ = 0;
  std::int64_t last_run_ns_ = 0;
  std::int64_t gpu_spent_ns_ = 0;    // of the GPU that the pass is at
  std::int64_t worst_spent_ns_ = 0;  // of any GPU in the pass
};

}  // namespace faultline
