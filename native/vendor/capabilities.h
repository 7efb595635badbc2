// Reports, group by group, what a GPU's library answers and what it does not; again when it changes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "vendor/backend.h"

namespace faultline {

class CapabilityReporter {
 public:
  CapabilityReporter(const Backend& backend, Reporter& reporter, std::size_t devices)
      : backend_(backend), reporter_(reporter), reported_(devices) {}
  void report(std::size_t at, const VendorDevice& device);

 private:
  using Texts = std::array<std::string, static_cast<std::size_t>(Capability::kEnd)>;

  const Backend& backend_;
  Reporter& reporter_;
  std::vector<Texts> reported_;
};

}  // namespace faultline
