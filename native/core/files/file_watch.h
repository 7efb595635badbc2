// Reads a set of small files at an interval on its own thread, samples what they count, and ends at the first change
// of those that should stay as they are: then JavaScript looks for itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/files/watched_file.h"
#include "core/reader.h"
#include "core/sink.h"
#include "core/thread.h"

namespace faultline {

constexpr std::size_t kMostWatchedFiles = 8192;
constexpr std::size_t kMostWatchedSeries = 16'384;

struct SeriesPlan {
  enum class Kind {
    held,         // always `value`
    counter,      // the sum of the files that show one
    rate,         // growth per second of that sum times `value`; of a group all rates are published, or none
    power,        // W of the one file
    temperature,  // °C
  };
  std::string key;  // empty: only kept, as the total of a rate
  Kind kind = Kind::held;
  std::vector<std::uint32_t> files;  // places in the group
  double value = 0;
  double total = std::numeric_limits<double>::quiet_NaN();  // of a rate, when the watch begins
  bool slow = false;
};

// What is read together, and has one time: that at which the last of its files was read.
struct GroupPlan {
  std::vector<FilePlan> files;
  std::vector<SeriesPlan> series;
  std::int64_t totals_ns = 0;  // when the totals of its rates were read
};

struct FileWatchOptions {
  std::string name;  // of its notices
  std::int64_t interval_ns = 0;
  std::int64_t first_ns = 0;    // from now
  std::uint32_t slow_rounds = 1;  // each so many rounds is a slow one
  std::vector<GroupPlan> groups;
};

// Of a group in the last round in which nothing had changed; times are 0 before the first.
struct GroupState {
  std::int64_t began_ns = 0;
  std::int64_t ended_ns = 0;
  std::vector<double> totals;  // one for each rate, NaN where its files show none
  std::vector<double> rates;   // NaN where none was published
};

struct WatchCounts {
  std::uint64_t rounds = 0;
  std::uint64_t reads = 0;
  std::int64_t reading_ns = 0;
  std::uint64_t dropped = 0;  // readings of sensors that are none
};

class FileWatch final : public Reader {
 public:
  static std::shared_ptr<FileWatch> start(std::shared_ptr<Sink> sink, FileWatchOptions options);
  void stop() override { stop_.raise(); }

  FileWatch(std::shared_ptr<Sink> sink, FileWatchOptions options);
  // One round; false when something changed: nothing of that round is published but the notice. Called by the thread.
  bool round();

  std::vector<GroupState> groups() const;
  WatchCounts counts() const;
  // The path whose read takes longer than this by now; empty where none does. From any thread.
  std::string hangs(std::int64_t longer_than_ns) const;
  // The thread is done, or there was none.
  bool ended() const override { return ended_.load(std::memory_order_acquire); }

 private:
  struct Series {
    SeriesPlan plan;
    SeriesId id;
  };
  struct Group {
    std::vector<WatchedFile> files;
    std::vector<Series> series;
    GroupState state;
  };

  void run();
  const WatchedFile* read_files(Group& group, std::uint32_t first, bool slow);
  void take(Group& group, GroupState& state, bool slow);
  void take_rates(const Group& group, GroupState& now);
  std::optional<double> value_of(const Group& group, const SeriesPlan& plan);

  const std::shared_ptr<Sink> sink_;
  const std::string name_;
  const std::int64_t interval_ns_;
  const std::int64_t first_ns_;
  const std::uint32_t slow_rounds_;
  StopSignal stop_;
  std::vector<Group> groups_;
  std::vector<std::string> paths_;  // of all files, in their order: for `hangs`
  std::vector<GroupState> round_;
  std::vector<SeriesSample> told_;
  WatchCounts counting_;

  std::atomic<std::int64_t> reading_since_ns_{0};
  std::atomic<std::uint32_t> reading_{0};
  std::atomic<bool> ended_{false};
  mutable std::mutex shared_mutex_;  // of what follows
  std::vector<GroupState> shared_;
  WatchCounts counts_;
};

}  // namespace faultline
