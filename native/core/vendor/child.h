// One vendor child as its watchers see it: a process, or in a test what stands for one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/vendor/ring.h"

namespace faultline {

class VendorChild {
 public:
  VendorChild() = default;
  VendorChild(const VendorChild&) = delete;
  VendorChild& operator=(const VendorChild&) = delete;
  virtual ~VendorChild() = default;

  virtual pid_t pid() const = 0;
  virtual int pid_fd() const = 0;  // readable at the end of the process; -1 on kernels before 5.3
  virtual int wake_fd() const = 0;
  virtual std::int64_t started_ns() const = 0;
  // By the clock that it stamps its records with.
  virtual std::int64_t now_ns() const = 0;
  virtual RingReader& reader() = 0;
  // Empties the bell.
  virtual void acknowledge() = 0;
  virtual void set_interval(std::int64_t interval_ns) = 0;
  virtual void signal(int number) = 0;
  // True once, when the process has ended: never waits, and never for another process.
  virtual bool reap(int& status) = 0;
};

struct ChildOrders {
  std::string devices;  // KnownDevices::argument()
  std::int64_t interval_ns;
};

// Null with the reason in `why` when the system gives no process.
using StartChild = std::function<std::unique_ptr<VendorChild>(const ChildOrders&, std::string& why)>;

}  // namespace faultline
