// One vendor child as its supervisor holds it: the process, the memory shared with it, and the ways to end it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/vendor/child.h"

namespace faultline {

struct VendorSpawn {
  std::string executable;
  std::string library;
  ChildOrders orders;
  std::vector<std::string> environment;
};

// What a child may see of this process's environment, "NAME=value" each. Call it where no thread changes the environment.
std::vector<std::string> vendor_environment();

class VendorProcess final : public VendorChild {
 public:
  // Starts a child with a minimal environment, its own process group and no descriptor besides ring and bell. It dies
  // with the calling thread. Null with the reason in `why`.
  static std::unique_ptr<VendorProcess> start(const VendorSpawn& spawn, std::string& why);
  ~VendorProcess() override;

  pid_t pid() const override { return pid_; }
  int pid_fd() const override { return pid_fd_; }
  int wake_fd() const override { return wake_fd_; }
  std::int64_t started_ns() const override { return started_ns_; }
  std::int64_t now_ns() const override;
  RingReader& reader() override { return *reader_; }
  void acknowledge() override;
  void set_interval(std::int64_t interval_ns) override;
  void signal(int number) override;
  bool reap(int& status) override;

 private:
  VendorProcess() = default;
  bool prepare_memory(std::int64_t interval_ns, std::string& why);
  bool spawn(const VendorSpawn& spawn, std::string& why);

  pid_t pid_ = -1;
  int pid_fd_ = -1, wake_fd_ = -1, ring_fd_ = -1;
  RingLayout* ring_ = nullptr;
  std::int64_t started_ns_ = 0;
  std::unique_ptr<RingReader> reader_;
};

}  // namespace faultline
