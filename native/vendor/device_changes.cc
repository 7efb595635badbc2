// Hands over binds and unbinds, and has the child list the devices again.
#include "vendor/device_changes.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>

namespace faultline {
namespace {

constexpr std::uint32_t kChangesSlot = 2;

}  // namespace

DeviceChanges::DeviceChanges(Backend& backend, RingLayout& ring, Reporter& reporter, const VendorDevices& devices)
    : backend_(backend), calls_(ring, kChangesSlot), reporter_(reporter), stream_(backend.device_changes(calls_, devices)) {
  if (stream_ != nullptr) thread_.start("system-events", [this] { run(); });
}

void DeviceChanges::run() {
  if (!stream_->open().ok()) return;
  bool works = true;
  while (works && !thread_.stopping()) works = wait();
  stream_->close();
}

bool DeviceChanges::wait() {
  std::vector<DeviceChange> changes;
  const Answer answer = stream_->wait(changes);
  if (answer.ok() || answer.outcome == Outcome::kTimeout) {
    if (retry_.worked()) reporter_.part("system_events", "they come again", 0);
    for (const DeviceChange& change : changes) report(change);
    // A library that answers at once with nothing would be asked without end.
    if (answer.ok() && changes.empty()) thread_.pause_ms(static_cast<int>(kEventWaitMs));
    return true;
  }
  if (answer.outcome == Outcome::kUnsupported) return false;
  if (retry_.failed()) {
    reporter_.part("system_events", "waiting for them keeps failing: " + backend_.describe(answer), answer.code);
  }
  thread_.pause_ms(retry_.pause_ms());
  return true;
}

void DeviceChanges::report(const DeviceChange& change) {
  char text[32];
  std::snprintf(text, sizeof text, "driver id 0x%x", change.id);
  reporter_.event(change.seat, change.taken ? "driver_bind" : "driver_unbind", change.id, text);
  changed_.store(true, std::memory_order_release);
  kill(getpid(), SIGUSR1);  // blocked everywhere but where the sampler sleeps
}

}  // namespace faultline
