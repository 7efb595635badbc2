// Keeps one vendor child running, replaces it when a call hangs, and reports what happened to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/vendor/backoff.h"
#include "core/vendor/endings.h"
#include "core/vendor/exclusions.h"
#include "core/vendor/link.h"
#include "core/vendor/process.h"
#include "core/vendor/report.h"

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
  void serve_current(std::int64_t now);
  void serve_candidate(std::int64_t now);
  void serve_timers(std::int64_t now);
  std::int64_t next_due_ns(std::int64_t now) const;
  std::int64_t interval_ns(std::int64_t now) const;

  std::unique_ptr<VendorProcess> start(std::int64_t now);
  void end(std::unique_ptr<VendorProcess>& process, bool ask, std::int64_t now);
  void drain(VendorProcess& process, bool taking_over);
  void take_over(std::int64_t now);
  void child_ended(int status, const std::optional<RunningCall>& within, std::int64_t now);
  void child_crashed(int signal, const std::optional<RunningCall>& within, std::int64_t now);
  std::optional<RunningCall> stuck_call(VendorProcess& process, std::int64_t now) const;
  void give_up_call(const RunningCall& call, std::int64_t now);
  std::int64_t deadline_ns(VendorCall call) const;
  bool silent(std::int64_t heard_ns, std::int64_t now) const;

  const VendorLinkOptions options_;
  const std::vector<std::string> environment_;
  VendorReport report_;
  Exclusions exclusions_;
  Endings endings_;
  Backoff crashes_, failures_, hangs_;
  int epoll_fd_ = -1, command_fd_ = -1;
  std::mutex mutex_;
  Commands commands_;
  std::atomic<pid_t> pid_{0};

  std::unique_ptr<VendorProcess> current_;
  // A second child that tries devices that were given up; it takes over once it has sampled, and until then whatever
  // happens to it costs the current one nothing.
  std::unique_ptr<VendorProcess> candidate_;
  std::int64_t start_due_ns_ = 0;
  std::int64_t burst_until_ns_ = 0;
  std::uint64_t current_ticks_ = 0;
  std::int64_t current_heard_ns_ = 0, candidate_heard_ns_ = 0;
  // Before this the supervisor itself did not run (a frozen container, a stopped host), so nobody is to blame.
  std::int64_t excused_until_ns_ = 0;
  // The current child holds a lost device open: one without it is to take over.
  bool successor_wanted_ = false;
  bool releasing_ = false;
  std::string release_traceparent_;
  bool stopping_ = false;
  std::uint32_t last_crash_device_ = kNoDevice;
};

}  // namespace faultline
