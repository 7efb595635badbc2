// Everything that is read seldom, GPU by GPU in short steps between the fast rounds, so that it delays none of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vendor/nvml/asker.h"
#include "vendor/capabilities.h"
#include "vendor/nvml/gpm.h"
#include "vendor/nvml/instances.h"
#include "vendor/nvml/links.h"
#include "vendor/processes.h"

namespace faultline {

class SlowLane {
 public:
  SlowLane(Asker& asker, Reporter& reporter, std::vector<Gpu>& gpus, std::string_view driver);

  // Asks for a pass over all GPUs; nothing while one is under way, or when the last one was too dear to come again yet.
  void begin(std::int64_t now_ns);
  // The next slice of the pass: at least one step, and no more of them than fit into the slice.
  void run(std::int64_t now_ns);
  bool idle() const { return gpu_ >= gpus_.size(); }

 private:
  // False when there is more to do of this step.
  using Step = bool (SlowLane::*)(std::size_t gpu);

  bool heat_and_power(std::size_t gpu);
  bool memory(std::size_t gpu);
  bool pcie(std::size_t gpu);
  bool state(std::size_t gpu);
  bool margins(std::size_t gpu);
  bool fabric(std::size_t gpu);
  bool links(std::size_t gpu);
  bool gpm(std::size_t gpu);
  bool instances(std::size_t gpu);
  bool processes(std::size_t gpu);
  bool capabilities(std::size_t gpu);
  void between_passes(std::int64_t now_ns);

  Asker& asker_;
  Reporter& reporter_;
  const NvmlLibrary& nvml_;
  std::vector<Gpu>& gpus_;
  std::span<const Field> state_fields_;
  std::vector<Links> links_;
  std::vector<Gpm> gpm_;
  Instances instances_;
  Processes processes_;
  CapabilityTeller capabilities_;

  std::uint64_t pass_ = 0;        // counts from 1
  std::size_t gpu_, step_ = 0;    // where the pass is; gpu_ is beyond the last one between passes
  std::int64_t began_ns_ = 0;
  std::int64_t last_run_ns_ = 0;
  std::int64_t gpu_spent_ns_ = 0;    // of the GPU that the pass is at
  std::int64_t worst_spent_ns_ = 0;  // of any GPU in the pass
};

}  // namespace faultline
