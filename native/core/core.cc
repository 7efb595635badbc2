// One core: series, history, aggregates, detectors and the queue to JavaScript, behind the Sink that readers write to.
#include "core/core.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/blank.h"

namespace faultline {
namespace {

constexpr std::int64_t kClocksEvery = 100'000'000;

std::int64_t keep_ns(double seconds) {
  if (!(seconds > 0)) return 0;
  return static_cast<std::int64_t>(std::min(seconds, 86400.0) * 1e9);
}

// Where nothing was found, which is nearly always, no clock is read.
void stamp(std::vector<Edge>& edges, std::string_view traceparent) {
  if (edges.empty()) return;
  const std::int64_t now = monotonic_now();
  for (Edge& edge : edges) {
    edge.detected_ns = now;
    edge.traceparent = traceparent;
  }
}

}  // namespace

Core::Core(const CoreOptions& options)
    : clock_(options.anchor_ms),
      replay_(options.anchor_ms.has_value()),
      registry_(options.max_series),
      history_(keep_ns(options.history_seconds)) {
  if (const auto now = read_clocks()) clock_watch_.emplace(*now);
}

SeriesId Core::series(std::string_view key) {
  bool refused = false;
  SeriesRegistry::Made made{};
  {
    const std::lock_guard lock(state_mutex_);
    made = registry_.intern(key);
    if (made.fresh) {
      last_ns_.emplace_back();
      engine_.attach(made.id, key);
    }
    refused = made.id == kNoSeries && !std::exchange(series_refused_, series_refused_ || made.id == kNoSeries);
  }
  if (refused) {
    notice({"series_limit", monotonic_now(), "", std::string(key.substr(0, SeriesRegistry::kMaxKeyBytes)),
            "no more series are taken; samples of further ones are dropped", static_cast<double>(registry_.size())});
  }
  return made.id;
}

void Core::take_sample(SeriesId series, const Sample& sample, std::vector<Edge>& edges, std::vector<Notice>& notices) {
  if (series >= registry_.size() || !std::isfinite(sample.value) || is_blank(sample.value)) return;
  ++samples_;
  aggregates_.add(series, sample);
  std::optional<std::int64_t>& last_ns = last_ns_[series];
  if (last_ns && sample.time_ns < *last_ns) return;  // late: history and detectors only go forward
  last_ns = sample.time_ns;
  history_.add(series, sample);
  if (engine_.sample(series, sample, edges)) {
    const SeriesKey key = split_key(registry_.key(series));
    notices.push_back({"counter_reset", sample.time_ns, std::string(key.component), std::string(key.quantity),
                       "the counter went back; counting starts again from here", sample.value});
  }
}

void Core::hand_over(std::vector<Edge>& edges, std::vector<Notice>& notices) {
  bool needed = false;
  for (Edge& edge : edges) needed = queue_.add(std::move(edge)) || needed;
  for (Notice& each : notices) needed = queue_.add(std::move(each)) || needed;
  wake(needed);
}

void Core::sample(SeriesId series, std::int64_t monotonic_ns, double value) {
  const SeriesSample reading{series, monotonic_ns, value};
  samples(std::span(&reading, 1));
}

void Core::samples(std::span<const SeriesSample> readings) {
  if (closed() || readings.empty()) return;
  std::vector<Edge> edges;
  std::vector<Notice> notices;
  {
    const std::lock_guard lock(state_mutex_);
    for (const SeriesSample& one : readings) take_sample(one.series, {one.monotonic_ns, one.value}, edges, notices);
    edges_ += edges.size();
    stamp(edges, {});
  }
  hand_over(edges, notices);
  watch_clocks(readings.back().monotonic_ns);
}

void Core::push(std::span<const SeriesId> series, std::span<const double> times_ms, std::span<const double> values,
                std::string_view traceparent) {
  if (closed()) return;
  std::vector<Edge> edges;
  std::vector<Notice> notices;
  {
    const std::lock_guard lock(state_mutex_);
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (!std::isfinite(times_ms[i])) continue;
      take_sample(series[i], {clock_.from_ms(times_ms[i]), values[i]}, edges, notices);
    }
    edges_ += edges.size();
    stamp(edges, traceparent);
  }
  hand_over(edges, notices);
}

void Core::notice(Notice notice) {
  if (!closed()) wake(queue_.add(std::move(notice)));
}

void Core::record(KernelRecord record) {
  if (!closed()) wake(queue_.add(std::move(record)));
}

// At most ten times a second, from whoever comes by: no timer of its own.
void Core::watch_clocks(std::int64_t monotonic_ns) {
  if (replay_ || closed()) return;
  if (monotonic_ns - clocks_checked_ns_.load(std::memory_order_relaxed) < kClocksEvery) return;
  std::optional<ClockJump> jump;
  {
    const std::lock_guard lock(clocks_mutex_);
    const std::optional<ClockReading> now = read_clocks();
    clocks_checked_ns_.store(monotonic_now(), std::memory_order_relaxed);
    if (!now) return;
    if (!clock_watch_) clock_watch_.emplace(*now);
    jump = clock_watch_->check(*now);
  }
  if (!jump) return;
  const auto report = [&](const char* name, double ms) {
    notice({.type = "clock_jump",
            .monotonic_ns = monotonic_now(),
            .component = {},
            .name = name,
            .text = {},
            .value = ms,
            .details = {{"previousMs", clock_.to_ms(jump->previous_ns)}}});
  };
  if (jump->suspended_ms != 0) report("suspend", jump->suspended_ms);
  if (jump->step_ms != 0) report("step", jump->step_ms);
}

void Core::set_wake(std::function<void()> callback) {
  const std::lock_guard lock(wake_mutex_);
  wake_ = std::move(callback);
  if (wake_ && !queue_.empty()) wake_();
}

void Core::wake(bool needed) {
  if (!needed) return;
  const std::lock_guard lock(wake_mutex_);
  if (wake_) wake_();
}

bool Core::idle() {
  watch_clocks(monotonic_now());
  return queue_.take_nothing();
}

Events Core::drain() {
  watch_clocks(monotonic_now());
  Events events = queue_.take();
  if (events.lost > 0) {
    events.notices.push_back({"queue_overflow", monotonic_now(), "", "", "events were dropped because too many waited",
                              static_cast<double>(events.lost)});
  }
  return events;
}

void Core::set_detectors(std::vector<DetectorSpec> specs) {
  const std::lock_guard lock(state_mutex_);
  engine_.set(std::move(specs), registry_);
}

void Core::set_group(std::string_view component, std::optional<double> group) {
  const std::lock_guard lock(state_mutex_);
  engine_.set_group(component, group);
}

std::vector<Aggregate> Core::aggregates() {
  watch_clocks(monotonic_now());
  const std::lock_guard lock(state_mutex_);
  return aggregates_.take();
}

std::vector<Sample> Core::history(std::string_view key, double from_ms, double to_ms) const {
  if (std::isnan(from_ms) || std::isnan(to_ms)) return {};
  const std::lock_guard lock(state_mutex_);
  const SeriesId series = registry_.find(key);
  if (series == kNoSeries) return {};
  // A double of epoch ms is good to a quarter of a microsecond: samples are asked for by the ms that JavaScript has of them.
  constexpr double kRounding = 0.001;
  auto samples = history_.read(series, clock_.from_ms(from_ms - kRounding), clock_.from_ms(to_ms + kRounding));
  std::erase_if(samples, [&](const Sample& sample) {
    const double ms = clock_.to_ms(sample.time_ns);
    return ms < from_ms || ms > to_ms;
  });
  return samples;
}

std::vector<std::string> Core::keys() const {
  const std::lock_guard lock(state_mutex_);
  std::vector<std::string> keys;
  keys.reserve(registry_.size());
  for (SeriesId id = 0; id < registry_.size(); ++id) keys.push_back(registry_.key(id));
  return keys;
}

std::string Core::key(SeriesId series) const {
  const std::lock_guard lock(state_mutex_);
  return series < registry_.size() ? registry_.key(series) : std::string();
}

CoreStats Core::stats() const {
  const std::lock_guard lock(state_mutex_);
  return {registry_.size(), samples_, edges_, queue_.lost(), queue_.wakeups(), queue_.pending()};
}

void Core::attach(std::shared_ptr<Reader> reader) {
  {
    const std::lock_guard lock(readers_mutex_);
    if (!closed()) {
      std::erase_if(readers_, [](const auto& one) { return one->ended(); });
      readers_.push_back(std::move(reader));
      return;
    }
  }
  reader->stop();
}

void Core::close() {
  std::vector<std::shared_ptr<Reader>> readers;
  {
    const std::lock_guard lock(readers_mutex_);
    closed_.store(true, std::memory_order_release);
    readers.swap(readers_);
  }
  set_wake(nullptr);
  for (const auto& reader : readers) reader->stop();
}

}  // namespace faultline
