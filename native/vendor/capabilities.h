// Tells, group by group, what a GPU's library answers and what it does not; told again when it changes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "vendor/nvml/gpu.h"

namespace faultline {

// Of the group's readings: "works", or what the one that came nearest to it answered.
std::string capability_text(const Gpu& gpu, Capability group);

class CapabilityTeller {
 public:
  CapabilityTeller(Reporter& reporter, std::size_t gpus) : reporter_(reporter), told_(gpus) {}
  // `links` and `instances` say more about these two than that they work; empty for nothing.
  void tell(std::size_t at, const Gpu& gpu, const std::string& links, const std::string& instances);

 private:
  using Texts = std::array<std::string, static_cast<std::size_t>(Capability::kEnd)>;

  Reporter& reporter_;
  std::vector<Texts> told_;
};

}  // namespace faultline
