// One vendor child as its supervisor holds it: the process, the memory shared with it, and the ways to end it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/vendor/ring.h"

namespace faultline {

struct VendorSpawn {
  std::string executable;
  std::string library;
  std::string excluded;  // Exclusions::argument()
  std::vector<std::string> environment;
  std::int64_t interval_ns;
};

// What a child may see of this process's environment, "NAME=value" each. Call it where nobody changes the environment.
std::vector<std::string> vendor_environment();

class VendorProcess {
 public:
  // Starts a child with a minimal environment, its own process group and no descriptor besides ring and bell. It dies
  // with the calling thread. Null with the reason in `why`.
  static std::unique_ptr<VendorProcess> start(const VendorSpawn& spawn, std::string& why);
  ~VendorProcess();
  VendorProcess(const VendorProcess&) = delete;
  VendorProcess& operator=(const VendorProcess&) = delete;

  pid_t pid() const { return pid_; }
  int pid_fd() const { return pid_fd_; }  // readable at the end of the process; -1 on kernels before 5.3
  int wake_fd() const { return wake_fd_; }
  std::int64_t started_ns() const { return started_ns_; }
  RingReader& reader() { return *reader_; }
  // Empties the bell.
  void acknowledge();
  void set_interval(std::int64_t interval_ns);
  void signal(int number);
  // True once, when the process has ended: never waits, and never for a process of somebody else.
  bool reap(int& status);

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
