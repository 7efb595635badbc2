// Which compute processes run on a GPU: a list that takes the driver milliseconds, so it is read when a job may have changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vendor/backend.h"

namespace faultline {

class Processes {
 public:
  Processes(Backend& backend, Reporter& reporter, std::size_t devices)
      : backend_(backend), reporter_(reporter), states_(devices) {}

  // Whether another process may be there than at the last reading: the GPU turned to work or to rest, its memory in use
  // moved by what a context takes at least, its parts changed, the last reading failed, or was ten minutes ago.
  bool due(std::size_t at, const VendorDevice& device, std::uint64_t pass) const;
  // Reads the list and reports it when it changed.
  void read(std::size_t at, VendorDevice& device, std::uint64_t pass);

 private:
  struct State {
    std::string reported = "[]";
    std::uint64_t read_pass = 0;   // 0: never
    bool failed = false;
    std::uint64_t quiet_until = 0;  // the pass up to which moved memory alone is not a reason: it was none the last time
    double memory = VendorDevice::kUnknown;  // in use at the last reading, bytes
  };

  Backend& backend_;
  Reporter& reporter_;
  std::vector<State> states_;
};

}  // namespace faultline
