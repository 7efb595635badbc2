// Reads a set of small files at an interval on its own thread, and samples what they count.
#include "core/files/file_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/clock.h"
#include "core/files/number.h"

namespace faultline {
namespace {

constexpr std::int64_t kLeastIntervalNs = 1'000'000;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

FileWatch::FileWatch(std::shared_ptr<Sink> sink, FileWatchOptions options)
    : sink_(std::move(sink)), name_(std::move(options.name)),
      interval_ns_(std::max(options.interval_ns, kLeastIntervalNs)), first_ns_(options.first_ns),
      slow_rounds_(std::max<std::uint32_t>(options.slow_rounds, 1)) {
  for (GroupPlan& plan : options.groups) {
    Group group;
    for (FilePlan& file : plan.files) {
      paths_.push_back(file.path);
      group.files.emplace_back(std::move(file));
    }
    for (SeriesPlan& series : plan.series) {
      if (series.kind == SeriesPlan::Kind::rate) group.state.totals.push_back(series.total);
      const SeriesId id = series.key.empty() ? 0 : sink_->series(series.key);
      group.series.push_back({std::move(series), id});
    }
    group.state.ended_ns = plan.totals_ns;
    groups_.push_back(std::move(group));
  }
  round_.resize(groups_.size());
  for (const Group& group : groups_) {
    const std::vector<double> none(group.state.totals.size(), kNone);
    shared_.push_back({0, 0, none, none});
  }
}

std::shared_ptr<FileWatch> FileWatch::start(std::shared_ptr<Sink> sink, FileWatchOptions options) {
  auto watch = std::make_shared<FileWatch>(std::move(sink), std::move(options));
  // Without a thread it has ended before it began.
  if (!start_thread("fl-files", [watch] { watch->run(); })) watch->ended_.store(true, std::memory_order_release);
  return watch;
}

void FileWatch::run() {
  std::int64_t next_ns = monotonic_now() + first_ns_;
  while (!stop_.wait_until(next_ns)) {
    // Fixed before the work, so that a slow round does not make the next ones drift; rounds missed are left out.
    const std::int64_t now_ns = monotonic_now();
    next_ns += interval_ns_ * (1 + std::max<std::int64_t>(0, now_ns - next_ns) / interval_ns_);
    if (!round()) break;
  }
  // Closed by this thread: where a read hangs, no other may.
  groups_.clear();
  ended_.store(true, std::memory_order_release);
}

bool FileWatch::round() {
  const std::int64_t began_ns = monotonic_now();
  const bool slow = (counting_.rounds + 1) % slow_rounds_ == 0;
  const WatchedFile* changed = nullptr;
  std::uint32_t first = 0;
  told_.clear();
  for (std::size_t i = 0; i < groups_.size() && changed == nullptr; ++i) {
    Group& group = groups_[i];
    GroupState& state = round_[i];
    state.began_ns = monotonic_now();
    changed = read_files(group, first, slow);
    state.ended_ns = monotonic_now();
    first += static_cast<std::uint32_t>(group.files.size());
    if (changed == nullptr) take(group, state, slow);
  }
  if (stop_.raised()) return false;
  if (changed != nullptr) {
    sink_->notice({"files_changed", monotonic_now(), "", name_, changed->plan().path, 0});
    return false;
  }
  sink_->samples(told_);
  ++counting_.rounds;
  counting_.reading_ns += monotonic_now() - began_ns;
  for (std::size_t i = 0; i < groups_.size(); ++i) groups_[i].state = round_[i];
  const std::lock_guard lock(shared_mutex_);
  shared_ = round_;
  counts_ = counting_;
  return true;
}

// The first that is not as expected; null where all are, or a stop was asked for.
const WatchedFile* FileWatch::read_files(Group& group, std::uint32_t first, bool slow) {
  for (std::uint32_t i = 0; i < group.files.size() && !stop_.raised(); ++i) {
    WatchedFile& file = group.files[i];
    if (file.plan().slow && !slow) continue;
    reading_.store(first + i, std::memory_order_relaxed);
    reading_since_ns_.store(monotonic_now(), std::memory_order_release);
    const bool same = file.read();
    reading_since_ns_.store(0, std::memory_order_release);
    ++counting_.reads;
    if (!same) return &file;
  }
  return nullptr;
}

void FileWatch::take(Group& group, GroupState& state, bool slow) {
  state.totals.clear();
  for (const Series& series : group.series) {
    const SeriesPlan& plan = series.plan;
    if (plan.kind == SeriesPlan::Kind::rate) {
      state.totals.push_back(value_of(group, plan).value_or(kNone));
    } else if (!plan.slow || slow) {
      if (const auto value = value_of(group, plan)) told_.push_back({series.id, state.ended_ns, *value});
    }
  }
  take_rates(group, state);
}

// A counter that is missing or went back takes the others of its group with it: the device started again.
void FileWatch::take_rates(const Group& group, GroupState& now) {
  const GroupState& before = group.state;
  const double seconds = static_cast<double>(now.ended_ns - before.ended_ns) / 1e9;
  now.rates.assign(now.totals.size(), kNone);
  if (!(seconds > 0)) return;
  for (std::size_t i = 0; i < now.totals.size(); ++i) {
    if (!(now.totals[i] >= before.totals[i])) return;
  }
  std::size_t at = 0;
  for (const Series& series : group.series) {
    if (series.plan.kind != SeriesPlan::Kind::rate) continue;
    const double rate = (now.totals[at] - before.totals[at]) / seconds;
    if (!series.plan.key.empty()) told_.push_back({series.id, now.ended_ns, rate});
    now.rates[at++] = rate;
  }
}

std::optional<double> FileWatch::value_of(const Group& group, const SeriesPlan& plan) {
  using Kind = SeriesPlan::Kind;
  if (plan.kind == Kind::held) return plan.value;
  if (plan.kind == Kind::power || plan.kind == Kind::temperature) {
    const auto text = plan.files.empty() ? std::nullopt : group.files[plan.files.front()].text();
    if (!text) return std::nullopt;
    const auto value = plan.kind == Kind::power ? power_of(*text) : temperature_of(*text);
    if (!value) ++counting_.dropped;
    return value;
  }
  std::optional<double> sum;
  for (const std::uint32_t file : plan.files) {
    const auto text = group.files[file].text();
    const auto value = text ? counter_of(*text) : std::nullopt;
    if (value) sum = sum.value_or(0) + *value * (plan.kind == Kind::rate ? plan.value : 1);
  }
  return sum;
}

std::vector<GroupState> FileWatch::groups() const {
  const std::lock_guard lock(shared_mutex_);
  return shared_;
}

WatchCounts FileWatch::counts() const {
  const std::lock_guard lock(shared_mutex_);
  return counts_;
}

std::string FileWatch::hangs(std::int64_t longer_than_ns) const {
  const std::int64_t since_ns = reading_since_ns_.load(std::memory_order_acquire);
  if (since_ns == 0 || monotonic_now() - since_ns <= longer_than_ns) return {};
  const std::uint32_t file = reading_.load(std::memory_order_relaxed);
  return file < paths_.size() ? paths_[file] : std::string();
}

}  // namespace faultline
