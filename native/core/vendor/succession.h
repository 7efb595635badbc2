// Which child runs, which one is tried besides, and what follows from what they do: the supervisor's decisions, without
// processes, descriptors or a clock of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/vendor/backoff.h"
#include "core/vendor/child.h"
#include "core/vendor/endings.h"
#include "core/vendor/exclusions.h"
#include "core/vendor/link.h"
#include "core/vendor/report.h"
#include "core/vendor/watched_child.h"

namespace faultline {

class Succession {
 public:
  struct World {
    StartChild start;
    // A child that is on its way out: its bell is not listened to any more.
    std::function<void(VendorChild&)> dismissed;
  };

  Succession(VendorReport& report, const VendorLinkOptions& options, World world);

  // Commands.
  void release(std::int64_t duration_ns, std::string traceparent, std::int64_t now_ns);
  void stop(std::int64_t now_ns);
  void burst(std::int64_t duration_ns, std::int64_t now_ns);
  // Everything stood still until now: nothing that took long is held against a child.
  void excuse(std::int64_t now_ns) { limits_.excused_until_ns = now_ns; }

  // One look at everything. Afterwards nothing is due before next_due_ns, unless a child stirs.
  void serve(std::int64_t now_ns);
  std::int64_t next_due_ns(std::int64_t now_ns) const;
  // Stopped, and no child is left that may still end in good time.
  bool over() const { return stopping_ && endings_.settled(); }
  // 0 while no child is the current one.
  pid_t pid() const { return current_ ? current_->pid() : 0; }

 private:
  void dismiss(std::optional<WatchedChild>& child, bool ask, std::int64_t now_ns);
  std::optional<WatchedChild> start(Exclusions::Lifted lifted, std::int64_t now_ns);
  void serve_current(std::int64_t now_ns);
  void serve_candidate(std::int64_t now_ns);
  void serve_timers(std::int64_t now_ns);
  void start_current(std::int64_t now_ns);
  void take_over(std::int64_t now_ns);
  void absorb(const Batch& batch, const WatchedChild& from);
  void heed_devices(std::int64_t now_ns);
  void broke(const Broke& how, std::optional<WatchedChild>& child, std::int64_t now_ns);
  void child_ended(const Ended& how, const WatchedChild& child, std::int64_t now_ns);
  void child_crashed(int signal, const Ended& how, const Roster& roster, std::int64_t now_ns);
  void give_up_call(const RunningCall& call, const Roster& roster, std::int64_t now_ns);
  std::int64_t interval_ns(std::int64_t now_ns) const;

  VendorReport& report_;
  const VendorLinkOptions& options_;
  const World world_;
  CallLimits limits_;
  Exclusions exclusions_;
  Endings endings_;
  Backoff crashes_, failures_, hangs_, breaks_;

  std::optional<WatchedChild> current_;
  Batch batch_;
  // A second child that tries devices that were given up, or does without one that is lost. It takes over once it has
  // sampled, whether the current one still lives or not; until then whatever happens to it costs the current one nothing.
  std::optional<WatchedChild> candidate_;
  Batch inherited_;  // what it reported so far
  std::int64_t start_due_ns_ = 0;
  std::int64_t burst_until_ns_ = 0;
  // The current child holds a lost device open: one without it is to take over.
  bool successor_wanted_ = false;
  bool releasing_ = false;
  std::string release_traceparent_;
  bool stopping_ = false;
  std::string last_crash_;  // where the last child crashed, while the next may do so again
  std::int64_t broke_ns_ = 0;
};

}  // namespace faultline
