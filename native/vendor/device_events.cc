// Hands over what comes, bounded.
#include "vendor/device_events.h"

#include <string>
#include <utility>

namespace faultline {
namespace {

constexpr std::uint32_t kSlot = 1;  // slot 0 is the sampler's
constexpr std::int64_t kSecondNs = 1'000'000'000;
// Past this many in one second the thread rests between two: the driver's queue keeps the newest for it.
constexpr unsigned kFastInSecond = 100;
constexpr int kRestMs = 10;

std::string held_text(std::uint64_t held) { return std::to_string(held) + " more since the last one reported"; }

}  // namespace

DeviceEvents::DeviceEvents(Backend& backend, RingLayout& ring, Reporter& reporter, const VendorDevices& devices)
    : backend_(backend), calls_(ring, kSlot), reporter_(reporter), stream_(backend.device_events(calls_, devices)) {
  if (stream_ != nullptr) thread_.start("device-events", [this] { run(); });
}

std::vector<std::uint32_t> DeviceEvents::take(std::vector<std::uint32_t>& list) {
  const std::lock_guard lock(mutex_);
  return std::exchange(list, {});
}

void DeviceEvents::note(std::vector<std::uint32_t>& list, std::uint32_t device) {
  const std::lock_guard lock(mutex_);
  if (device != kNoDevice && list.size() < kMaxDevices) list.push_back(device);
}

void DeviceEvents::run() {
  const Answer opened = stream_->open();
  if (!opened.ok()) return reporter_.part("events", "no event set: " + backend_.describe(opened), opened.code);
  bool works = watch_all();
  while (works && !thread_.stopping()) works = wait();
  stream_->close();
}

bool DeviceEvents::watch_all() {
  unsigned watched = 0;
  Answer refused;
  for (std::size_t device = 0; device < stream_->devices(); ++device) {
    if (thread_.stopping()) return false;
    const Answer answer = stream_->watch(device);
    if (answer.ok()) ++watched;
    else refused = answer;
  }
  if (watched > 0) {
    reporter_.part("events", std::to_string(watched) + " devices are watched", 0);
  } else if (!refused.ok()) {
    reporter_.part("events", "no device lets itself be watched: " + backend_.describe(refused), refused.code);
  }
  return watched > 0;
}

bool DeviceEvents::wait() {
  DriverEvent event;
  const Answer answer = stream_->wait(event);
  if (answer.ok() || answer.outcome == Outcome::kTimeout) {
    if (retry_.worked()) reporter_.part("events", "they come again", 0);
    if (answer.ok()) take(event);
    else report_ebbed();
    return true;
  }
  if (answer.outcome == Outcome::kUnsupported) {
    reporter_.part("events", "waiting for them: " + backend_.describe(answer), answer.code);
    return false;
  }
  if (retry_.failed()) {
    reporter_.part("events", "waiting for them keeps failing: " + backend_.describe(answer), answer.code);
  }
  thread_.pause_ms(retry_.pause_ms());
  return true;
}

void DeviceEvents::take(const DriverEvent& event) {
  const std::int64_t now = monotonic_now();
  slow_down(now);
  if (event.word == EventWord::kEnd) return;
  // The data of other events do not tell them apart.
  const EventKey key{event.seat, event.word, event.word == EventWord::kXid ? event.data : 0};
  if (event.processor_stalled) note(stalled_, event.seat);
  if (event.split_otherwise) note(split_, event.seat);
  const auto held = flood_.admit(key, now);
  if (!held) return;
  std::string text = event.part;
  if (*held > 0) text += (text.empty() ? "" : "; ") + held_text(*held);
  report(key, static_cast<double>(event.data), text);
}

void DeviceEvents::report(const EventKey& key, double data, const std::string& text) {
  if (key.word == EventWord::kXid) reporter_.xid(key.device, key.data, text);
  else reporter_.event(key.device, event_word(key.word), data, text);
}

void DeviceEvents::report_ebbed() {
  while (const auto held = flood_.ebbed(monotonic_now())) {
    report(held->key, static_cast<double>(held->key.data), held_text(held->count));
  }
}

void DeviceEvents::slow_down(std::int64_t now_ns) {
  if (now_ns - second_began_ns_ >= kSecondNs) {
    second_began_ns_ = now_ns;
    taken_in_second_ = 0;
  }
  if (++taken_in_second_ > kFastInSecond) thread_.pause_ms(kRestMs);
}

}  // namespace faultline
