// The thread that keeps one vendor child running: what wakes it, what it is asked for, and the processes that it starts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/vendor/link.h"
#include "core/vendor/report.h"
#include "core/vendor/succession.h"

namespace faultline {

class VendorSupervisor {
 public:
  VendorSupervisor(std::shared_ptr<Sink> sink, VendorLinkOptions options);
  ~VendorSupervisor();
  VendorSupervisor(const VendorSupervisor&) = delete;
  VendorSupervisor& operator=(const VendorSupervisor&) = delete;

  // The thread's life.
  void run();
  // From any thread; each returns at once.
  void stop();
  void burst(std::int64_t duration_ns);
  void release(std::int64_t duration_ns, std::string traceparent);
  pid_t pid() const { return pid_.load(); }

 private:
  struct Commands {
    bool stop = false;
    std::int64_t burst_ns = 0;
    std::int64_t release_ns = 0;
    std::string traceparent = {};  // of the release
  };

  template <typename Apply>
  void command(Apply apply);
  void obey(std::int64_t now);
  std::unique_ptr<VendorChild> start(const ChildOrders& orders, std::string& why) const;

  const VendorLinkOptions options_;
  const std::vector<std::string> environment_;
  VendorReport report_;
  Succession succession_;
  int epoll_fd_ = -1, command_fd_ = -1;
  std::mutex mutex_;
  Commands commands_;
  std::atomic<pid_t> pid_{0};
};

}  // namespace faultline
