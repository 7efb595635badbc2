// Runs steps that may hang, one after the other, off the caller's thread: one that hangs is left behind with its thread,
// and another thread takes the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/thread.h"

namespace faultline {

class Steps : public std::enable_shared_from_this<Steps> {
 public:
  // What becomes of what a step read; called under the lock, and never for a step that was left behind.
  using Take = std::function<void()>;
  struct Step {
    std::string name;  // what hangs, where it does
    std::function<Take()> read;
  };
  // Called under the lock; nothing when all is done.
  using Next = std::function<std::optional<Step>()>;

  // A step may take `limit_ns`; `most_hanging` threads are left behind at most, over all runs.
  Steps(std::int64_t limit_ns, std::size_t most_hanging) : limit_ns_(limit_ns), most_hanging_(most_hanging) {}

  // `done` is called once, on its own thread: when `next` has no more, or when too many steps hang. False, and nothing
  // is called, while a run is under way or where the system refuses a thread.
  bool run(Next next, std::function<void()> done);
  // Names of the steps that hang now. From any thread.
  std::vector<std::string> hanging() const;
  // Runs `body` under the lock.
  template <typename Body>
  auto locked(Body body) const {
    const std::lock_guard lock(mutex_);
    return body();
  }

 private:
  struct Hanging {
    std::uint64_t turn;
    std::string name;
  };

  void supervise(const std::shared_ptr<StopSignal>& finished, const std::function<void()>& done);
  void work(std::uint64_t turn, const std::shared_ptr<StopSignal>& finished);
  bool start_worker(const std::shared_ptr<StopSignal>& finished);
  bool leave_behind(const std::shared_ptr<StopSignal>& finished);

  const std::int64_t limit_ns_;
  const std::size_t most_hanging_;
  mutable std::mutex mutex_;  // of what follows
  bool running_ = false;
  std::uint64_t turn_ = 0;  // of the thread that takes steps now
  std::int64_t since_ns_ = 0;  // when the step that it reads began; 0: it reads none
  std::string name_;
  Next next_;
  std::vector<Hanging> hanging_;
};

}  // namespace faultline
