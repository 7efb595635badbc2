// Judges a child by what it wrote and by how long its calls take.
#include "core/vendor/watched_child.h"

#include <algorithm>
#include <utility>

#include "core/vendor/protocol.h"

namespace faultline {
namespace {

constexpr double kNsPerSecond = 1e9;
// The first attach of a GPU without persistence mode takes seconds, and these calls hold up no sample of another device.
constexpr std::int64_t kStartUpFactor = 10;

// An honest child looks a hundred times a second at most and reports a few hundred things at its start; what it tells of
// events it bounds itself. Twice 128 devices at the shortest interval is what it can sample.
constexpr double kMostLooks = 8192, kLooksPerSecond = 1'000;
constexpr double kMostNotices = 16'384, kNoticesPerSecond = 500;
constexpr double kMostSamples = 1'000'000, kSamplesPerSecond = 400'000;

}  // namespace

std::int64_t CallLimits::deadline_ns(VendorCall call) const {
  switch (vendor_call_kind(call)) {
    case CallKind::kStartsUp:
    case CallKind::kOpensDevice:
      return kStartUpFactor * call_deadline_ns;
    case CallKind::kWaits:
      return call_deadline_ns + kEventWaitMs * 1'000'000;
    case CallKind::kOrdinary:
      break;
  }
  return call_deadline_ns;
}

std::int64_t CallLimits::silence_ns() const { return 2 * kLongestIntervalNs + kStartUpFactor * call_deadline_ns; }

void Batch::clear() {
  notices.clear();
  samples.clear();
  whole = true;
}

bool WatchedChild::Allowance::spend(double amount, std::int64_t now_ns) {
  const double passed = static_cast<double>(std::max<std::int64_t>(0, now_ns - updated_ns)) / kNsPerSecond;
  left = std::min(most, left + passed * per_second) - amount;
  updated_ns = now_ns;
  return left >= 0;
}

WatchedChild::WatchedChild(std::unique_ptr<VendorChild> child, const std::vector<std::string>& given, std::int64_t now_ns)
    : child_(std::move(child)), roster_(given), heard_ns_(now_ns), looks_{kMostLooks, kLooksPerSecond},
      notices_{kMostNotices, kNoticesPerSecond}, samples_{kMostSamples, kSamplesPerSecond} {}

void WatchedChild::broke(std::string what) {
  if (break_.empty()) break_ = std::move(what);
}

void WatchedChild::read(Batch& batch, std::int64_t now_ns) {
  child_->acknowledge();
  RingReader& reader = child_->reader();
  reader.begin();
  // Not the time of the look: between it and this line the whole host may have been stopped.
  const std::int64_t read_ns = std::max(now_ns, child_->now_ns());
  const std::size_t notices_before = batch.notices.size(), samples_before = batch.samples.size();
  NoticeRecord notice;
  while (reader.next(notice, read_ns)) {
    if (notice.type == static_cast<std::uint32_t>(NoticeType::kDevice)) {
      if (std::string fault = roster_.announce(notice); !fault.empty()) broke(std::move(fault));
    }
    batch.notices.push_back(notice);
  }
  SampleRecord sample;
  while (reader.next(sample, read_ns)) batch.samples.push_back(sample);
  if (reader.corrupt() > 0) broke(reader.first_break());
  if (!looks_.spend(1, now_ns)) broke("it rings without end");
  if (!notices_.spend(static_cast<double>(batch.notices.size() - notices_before), now_ns)) {
    broke("it reports without end");
  }
  if (!samples_.spend(static_cast<double>(batch.samples.size() - samples_before), now_ns)) broke("it samples without end");
  batch.whole = batch.whole && break_.empty();
  const std::uint64_t ticks = reader.ticks();
  if (ticks != ticks_) heard_ns_ = now_ns;
  ticks_ = ticks;
}

Doing WatchedChild::look(Batch& batch, const CallLimits& limits, std::int64_t now_ns) {
  int status = 0;
  const bool ended = child_->reap(status);
  const auto within = ended ? running_call() : std::nullopt;
  read(batch, now_ns);
  if (!break_.empty()) return Broke{break_, ended};
  if (ended) return Ended{status, within};
  if (const auto stuck = stuck_call(limits, now_ns)) return Stuck{*stuck};
  if (now_ns - std::max(heard_ns_, limits.excused_until_ns) > limits.silence_ns()) return Silent{};
  return Works{};
}

std::optional<RunningCall> WatchedChild::running_call() const {
  RunningCall call;
  for (std::uint32_t slot = 0; slot < kCallSlots; ++slot) {
    // A crash is the fault of the thread that did more than wait.
    if (child_->reader().call(slot, call) && vendor_call_kind(call.call) != CallKind::kWaits) return call;
  }
  return std::nullopt;
}

std::optional<RunningCall> WatchedChild::stuck_call(const CallLimits& limits, std::int64_t now_ns) const {
  RunningCall call;
  for (std::uint32_t slot = 0; slot < kCallSlots; ++slot) {
    if (!child_->reader().call(slot, call)) continue;
    if (now_ns - std::max(call.start_ns, limits.excused_until_ns) > limits.deadline_ns(call.call)) return call;
  }
  return std::nullopt;
}

std::optional<std::int64_t> WatchedChild::next_due_ns(const CallLimits& limits, std::int64_t now_ns) const {
  // A call that has not begun yet can be over its deadline one deadline from now at the earliest.
  std::int64_t due = std::min(now_ns + limits.call_deadline_ns, std::max(now_ns + 1, heard_ns_ + limits.silence_ns() + 1));
  RunningCall call;
  for (std::uint32_t slot = 0; slot < kCallSlots; ++slot) {
    if (!child_->reader().call(slot, call)) continue;
    due = std::min(due, std::max(call.start_ns, limits.excused_until_ns) + limits.deadline_ns(call.call) + 1);
  }
  return due;
}

}  // namespace faultline
