// Ends children without ever waiting for one.
#include "core/vendor/endings.h"

#include <signal.h>

#include <string>

namespace faultline {
namespace {

constexpr std::int64_t kAskedNs = 500'000'000;
// A process in an uninterruptible wait inside the driver keeps its pending SIGKILL for as long as that lasts.
constexpr std::int64_t kKilledNs = 2'000'000'000;
constexpr std::int64_t kAbandonedLookNs = 10'000'000'000;

}  // namespace

void Endings::add(std::unique_ptr<VendorChild> process, bool ask, std::int64_t now_ns) {
  if (process == nullptr) return;
  process->signal(ask ? SIGTERM : SIGKILL);
  endings_.push_back({std::move(process), now_ns + (ask ? kAskedNs : kKilledNs), !ask, false});
}

void Endings::serve(std::int64_t now_ns, VendorReport& report) {
  std::erase_if(endings_, [](const Ending& ending) {
    int status = 0;
    return ending.process->reap(status);
  });
  for (Ending& ending : endings_) {
    if (ending.abandoned || now_ns < ending.due_ns) continue;
    if (ending.killed) {
      ending.abandoned = true;
      const std::string pid = std::to_string(ending.process->pid());
      report.child_exit("abandoned", "pid " + pid + " does not die; it hangs inside the driver", 0);
    } else {
      ending.killed = true;
      ending.due_ns = now_ns + kKilledNs;
      ending.process->signal(SIGKILL);
    }
  }
}

std::optional<std::int64_t> Endings::next_due_ns(std::int64_t now_ns) const {
  std::optional<std::int64_t> due;
  for (const Ending& ending : endings_) {
    const std::int64_t own = ending.abandoned ? now_ns + kAbandonedLookNs : ending.due_ns;
    if (!due || own < *due) due = own;
  }
  return due;
}

bool Endings::settled() const { return endings_.size() == abandoned(); }

std::size_t Endings::abandoned() const {
  std::size_t count = 0;
  for (const Ending& ending : endings_) count += ending.abandoned ? 1 : 0;
  return count;
}

bool Endings::needs_polling() const {
  for (const Ending& ending : endings_) {
    if (ending.process->pid_fd() < 0) return true;
  }
  return false;
}

}  // namespace faultline
