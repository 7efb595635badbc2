// Runs steps that may hang, one after the other, off the caller's thread.
#include "core/steps.h"

#include <algorithm>
#include <utility>

#include "core/clock.h"

namespace faultline {

bool Steps::run(Next next, std::function<void()> done) {
  auto finished = std::make_shared<StopSignal>();
  {
    const std::lock_guard lock(mutex_);
    if (running_) return false;
    running_ = true;
    next_ = std::move(next);
  }
  const bool started = start_thread("fl-steps", [self = shared_from_this(), finished, done = std::move(done)] {
    self->supervise(finished, done);
  });
  if (!started) {
    const std::lock_guard lock(mutex_);
    running_ = false;
    next_ = nullptr;
  }
  return started;
}

std::vector<std::string> Steps::hanging() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const Hanging& one : hanging_) names.push_back(one.name);
  return names;
}

// Looks no more often than a step may take: a run in which nothing hangs wakes this thread once, at its end.
void Steps::supervise(const std::shared_ptr<StopSignal>& finished, const std::function<void()>& done) {
  bool more = locked([&] { return hanging_.size() < most_hanging_ && start_worker(finished); });
  while (more) {
    const std::int64_t since_ns = locked([&] { return since_ns_; });
    if (finished->wait_until((since_ns == 0 ? monotonic_now() : since_ns) + limit_ns_)) break;
    more = leave_behind(finished);
  }
  {
    const std::lock_guard lock(mutex_);
    ++turn_;  // whoever still reads for this run is too late
    running_ = false;
    since_ns_ = 0;
    next_ = nullptr;
  }
  done();
}

// Under the lock.
bool Steps::start_worker(const std::shared_ptr<StopSignal>& finished) {
  const std::uint64_t turn = ++turn_;
  since_ns_ = 0;
  return start_thread("fl-step", [self = shared_from_this(), turn, finished] { self->work(turn, finished); });
}

// False where nothing takes the next step any more.
bool Steps::leave_behind(const std::shared_ptr<StopSignal>& finished) {
  const std::lock_guard lock(mutex_);
  if (since_ns_ == 0 || monotonic_now() - since_ns_ < limit_ns_) return true;
  hanging_.push_back({turn_, name_});
  return hanging_.size() < most_hanging_ && start_worker(finished);
}

void Steps::work(std::uint64_t turn, const std::shared_ptr<StopSignal>& finished) {
  for (;;) {
    std::optional<Step> step;
    {
      const std::lock_guard lock(mutex_);
      if (turn != turn_) return;
      step = next_();
      if (!step) {
        finished->raise();
        return;
      }
      // Whoever waits for it waits already.
      if (std::any_of(hanging_.begin(), hanging_.end(), [&](const Hanging& one) { return one.name == step->name; })) continue;
      name_ = step->name;
      since_ns_ = monotonic_now();
    }
    const Take take = step->read();
    const std::lock_guard lock(mutex_);
    if (turn != turn_) {
      std::erase_if(hanging_, [&](const Hanging& one) { return one.turn == turn; });
      return;
    }
    since_ns_ = 0;
    if (take) take();
  }
}

}  // namespace faultline
