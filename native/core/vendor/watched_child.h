// One vendor child under watch: what it wrote since the last look, and what it is doing, each as one value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/vendor/child.h"
#include "core/vendor/roster.h"

namespace faultline {

struct CallLimits {
  std::int64_t call_deadline_ns;
  // Before this the supervisor itself did not run (a frozen container, a stopped host), so no child is to blame.
  std::int64_t excused_until_ns = 0;

  std::int64_t deadline_ns(VendorCall call) const;
  // A throttled child rests for at most kLongestIntervalNs; calls have deadlines of their own.
  std::int64_t silence_ns() const;
};

// What a child is doing. One that ended comes with the call that it was in.
struct Works {};
struct Ended {
  int status;
  std::optional<RunningCall> within;
};
struct Broke {
  std::string what;  // it wrote, in words
  bool ended;
};
struct Silent {};
struct Stuck {
  RunningCall call;
};
using Doing = std::variant<Works, Ended, Broke, Silent, Stuck>;

// What a child wrote, in its order. Only `whole` where all of it is what an honest child writes: else it counts for nothing.
struct Batch {
  std::vector<NoticeRecord> notices;
  std::vector<SampleRecord> samples;
  bool whole = true;

  void clear();
};

class WatchedChild {
 public:
  // `given`: the addresses that it has seats for.
  WatchedChild(std::unique_ptr<VendorChild> child, const std::vector<std::string>& given, std::int64_t now_ns);

  // Puts what it wrote into `batch`, behind what is in it; of a child that ended, all that it wrote.
  Doing look(Batch& batch, const CallLimits& limits, std::int64_t now_ns);
  std::optional<std::int64_t> next_due_ns(const CallLimits& limits, std::int64_t now_ns) const;
  bool ticked() const { return ticks_ > 0; }
  std::int64_t started_ns() const { return child_->started_ns(); }
  const Roster& roster() const { return roster_; }
  // Records that it dropped because the ring was full.
  std::uint64_t lost() const { return child_->reader().lost(); }
  VendorChild& process() const { return *child_; }
  pid_t pid() const { return child_->pid(); }
  std::unique_ptr<VendorChild> take() { return std::move(child_); }

 private:
  // How much of one thing it may still do: it comes back with time.
  struct Allowance {
    double most, per_second;
    double left = most;
    std::int64_t updated_ns = 0;

    bool spend(double amount, std::int64_t now_ns);
  };

  void read(Batch& batch, std::int64_t now_ns);
  std::optional<RunningCall> stuck_call(const CallLimits& limits, std::int64_t now_ns) const;
  std::optional<RunningCall> running_call() const;
  void broke(std::string what);

  std::unique_ptr<VendorChild> child_;
  Roster roster_;
  std::uint64_t ticks_ = 0;
  std::int64_t heard_ns_;
  std::string break_;
  Allowance looks_, notices_, samples_;
};

}  // namespace faultline
