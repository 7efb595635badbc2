// Reads CPU power through RAPL's powercap tree on its own thread.
#include "core/rapl/rapl.h"

#include <algorithm>

#include "core/clock.h"
#include "core/rapl/mirrors.h"

namespace faultline {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// The counter itself moves about once a millisecond; below 20 ms its steps dominate what is read.
constexpr std::int64_t kLeastRaplIntervalNs = 20 * kMillisecond;
constexpr std::int64_t kScanWhileAbsentNs = 5'000 * kMillisecond;
// A package whose last CPU went offline comes back without a word.
constexpr std::int64_t kScanNs = 30'000 * kMillisecond;
constexpr std::int64_t kSuspendNs = 10 * kMillisecond;
// A limit is a register of its own, read on a processor of its package; who changes one does not do so ten times a second.
constexpr std::int64_t kLimitsNs = 1'000 * kMillisecond;
// One reading that is not a number is a gap, not the state of the source.
constexpr int kTroubledRounds = 3;
// The counter's own pace.
constexpr std::int64_t kLeastFastNs = kMillisecond;

}  // namespace

Rapl::Rapl(std::shared_ptr<Sink> sink, RaplOptions options)
    : sink_(std::move(sink)), options_(std::move(options)), suspended_ns_(boottime_now() - monotonic_now()),
      pace_(options_.fast_interval_ns, options_.interval_ns) {}

std::shared_ptr<Rapl> Rapl::start(std::shared_ptr<Sink> sink, RaplOptions options) {
  options.interval_ns = std::max(options.interval_ns, kLeastRaplIntervalNs);
  if (options.fast_interval_ns > 0) options.fast_interval_ns = std::max(options.fast_interval_ns, kLeastFastNs);
  auto rapl = std::make_shared<Rapl>(std::move(sink), std::move(options));
  if (!start_thread("fl-rapl", [rapl] { rapl->run(); })) rapl->state("failed", "no thread was left to read CPU power");
  return rapl;
}

void Rapl::run() {
  std::int64_t next_ns = monotonic_now();
  do {
    // Fixed before the work, so that a slow round does not make the next ones drift; rounds missed are left out.
    const std::int64_t now_ns = monotonic_now();
    next_ns += options_.interval_ns * (1 + std::max<std::int64_t>(0, now_ns - next_ns) / options_.interval_ns);
    suspended(boottime_now() - monotonic_now());
    round(now_ns);
    // With nothing to read there is no reason to come back before the next look for zones.
    if (zones_.empty()) next_ns = std::max(next_ns, next_scan_ns_);
    if (options_.fast_interval_ns > 0 && !zones_.empty()) read_fast(next_ns);
  } while (!stop_.wait_until(next_ns));
}

void Rapl::round(std::int64_t now_ns) {
  if (now_ns >= next_scan_ns_) {
    rescan();
    last_scan_ns_ = now_ns;
    next_scan_ns_ = now_ns + (zones_.empty() ? kScanWhileAbsentNs : kScanNs);
  }
  read_zones(now_ns);
}

void Rapl::suspended(std::int64_t suspended_ns) {
  if (suspended_ns - suspended_ns_ > kSuspendNs) {
    for (Zone& zone : zones_) zone.forget();
  }
  suspended_ns_ = suspended_ns;
}

// Between two rounds: only energy, and nothing is handed over; the next round tells what was seen.
void Rapl::read_fast(std::int64_t until_ns) {
  std::int64_t next_ns = monotonic_now() + pace_.interval_ns();
  while (next_ns < until_ns && !stop_.wait_until(next_ns)) {
    const std::int64_t began_ns = monotonic_now();
    for (Zone& zone : zones_) zone.read_fast(began_ns);
    const std::int64_t ended_ns = monotonic_now();
    pace_.took(ended_ns - began_ns);
    next_ns = std::max(next_ns + pace_.interval_ns(), ended_ns);
  }
}

// Zones that are still there keep their counters and descriptors.
void Rapl::rescan() {
  std::vector<ZonePlace> places = without_mirrors(find_zones(options_.sys_root, options_.host));
  std::erase_if(zones_, [&](const Zone& zone) {
    return std::find(places.begin(), places.end(), zone.place()) == places.end();
  });
  for (ZonePlace& place : places) {
    const bool known = std::any_of(zones_.begin(), zones_.end(), [&](const Zone& zone) { return zone.place() == place; });
    if (!known) zones_.emplace_back(std::move(place), *sink_);
  }
  if (zones_.empty()) state("absent", options_.sys_root + "/class/powercap holds no intel-rapl zone");
}

void Rapl::read_zones(std::int64_t now_ns) {
  if (zones_.empty()) return;
  const Zone* forbidden = nullptr;
  bool works = false;
  const bool limits = now_ns >= next_limits_ns_;
  if (limits) next_limits_ns_ = now_ns + kLimitsNs;
  const auto gone = std::remove_if(zones_.begin(), zones_.end(), [&](Zone& zone) {
    if (stop_.raised()) return false;
    return zone.read(*sink_, limits) == Zone::Health::gone;
  });
  if (gone != zones_.end()) {
    zones_.erase(gone, zones_.end());
    // What comes back is a new zone with a new count; one that is listed and never answers is not tried at each round.
    next_scan_ns_ = std::min(next_scan_ns_, last_scan_ns_ + kScanWhileAbsentNs);
    if (zones_.empty()) state("absent", "the kernel took every zone away");
  }
  for (const Zone& zone : zones_) {
    if (zone.trouble().empty()) works = true;
    if (zone.forbidden() && forbidden == nullptr) forbidden = &zone;
  }
  if (forbidden != nullptr) {
    state("no_permission", forbidden->trouble());
  } else if (works) {
    troubled_rounds_ = 0;
    state("works", std::to_string(zones_.size()) + " zones under " + options_.sys_root + "/class/powercap");
  } else if (!zones_.empty() && ++troubled_rounds_ >= kTroubledRounds) {
    state("partial", zones_.front().trouble());  // limits may be read all the same
  }
}

void Rapl::state(const std::string& name, std::string text) {
  if (state_ == name || stop_.raised()) return;
  state_ = name;
  sink_->notice({"rapl_state", monotonic_now(), "", name, std::move(text), 0});
}

}  // namespace faultline
