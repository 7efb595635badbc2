// One core: series, history, aggregates, detectors and the queue to JavaScript, behind the Sink that readers write to.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/aggregates.h"
#include "core/clock.h"
#include "core/detectors/engine.h"
#include "core/event_queue.h"
#include "core/history.h"
#include "core/reader.h"
#include "core/series.h"
#include "core/sink.h"

namespace faultline {

struct CoreOptions {
  double history_seconds = 0;
  std::size_t max_series = 0;
  std::optional<double> anchor_ms;  // replay: the epoch ms of monotonic 0, and no watch on the host's clocks
};

struct CoreStats {
  std::size_t series;
  std::uint64_t samples;
  std::uint64_t edges;
  std::uint64_t records_lost;
  std::uint64_t wakeups;
  std::size_t pending_events;
};

// Thread-safe. Readers hold it by shared_ptr; after close() it takes nothing more.
class Core final : public Sink {
 public:
  explicit Core(const CoreOptions& options);

  SeriesId series(std::string_view key) override;
  void sample(SeriesId series, std::int64_t monotonic_ns, double value) override;
  void samples(std::span<const SeriesSample> readings) override;
  void notice(Notice notice) override;
  void record(KernelRecord record) override;

  // Called from any thread, under a lock of ours: it must neither block nor call back into the core. Empty to unset;
  // on return the previous one is never called again.
  void set_wake(std::function<void()> wake);
  bool claim_wake() { return queue_.claim_wake(); }
  // Nothing waits; counts as a drain, of nothing.
  bool idle();
  Events drain();

  void set_detectors(std::vector<DetectorSpec> specs);
  // Which peers a component has, for detectors that compare within a group.
  void set_group(std::string_view component, std::optional<double> group);
  // Samples as JavaScript has them; the three spans are of one length. Unknown ids and absent values are left out.
  // The edges that they cause carry `traceparent` back.
  void push(std::span<const SeriesId> series, std::span<const double> times_ms, std::span<const double> values,
            std::string_view traceparent = {});
  std::vector<Aggregate> aggregates();
  std::vector<Sample> history(std::string_view key, double from_ms, double to_ms) const;
  std::vector<std::string> keys() const;
  std::string key(SeriesId series) const;
  CoreStats stats() const;
  const SteadyClock& clock() const { return clock_; }

  // The core stops its readers when it is closed; one that comes later is stopped at once.
  void attach(std::shared_ptr<Reader> reader);
  void close();
  bool closed() const { return closed_.load(std::memory_order_acquire); }

 private:
  void take_sample(SeriesId series, const Sample& sample, std::vector<Edge>& edges, std::vector<Notice>& notices);
  void hand_over(std::vector<Edge>& edges, std::vector<Notice>& notices);
  void watch_clocks(std::int64_t monotonic_ns);
  void wake(bool needed);

  const SteadyClock clock_;
  const bool replay_;
  std::atomic<bool> closed_{false};
  EventQueue queue_;

  mutable std::mutex state_mutex_;
  SeriesRegistry registry_;
  std::vector<std::optional<std::int64_t>> last_ns_;
  History history_;
  Aggregates aggregates_;
  DetectorEngine engine_;
  std::uint64_t samples_ = 0;
  std::uint64_t edges_ = 0;
  bool series_refused_ = false;

  std::mutex clocks_mutex_;
  std::optional<ClockWatch> clock_watch_;  // from the first good reading on
  std::atomic<std::int64_t> clocks_checked_ns_{0};

  std::mutex wake_mutex_;
  std::function<void()> wake_;

  std::mutex readers_mutex_;
  std::vector<std::shared_ptr<Reader>> readers_;
};

}  // namespace faultline
