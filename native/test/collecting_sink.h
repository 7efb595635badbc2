// A sink that keeps what readers say, and waits for it without guessing how long that takes. Readers are asked to stop, not
// joined, so one may still speak after its stop: everything kept is read as a copy made under the lock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/sink.h"

namespace faultline {

class CollectingSink final : public Sink {
 public:
  SeriesId series(std::string_view key) override {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (keys_[i] == key) return static_cast<SeriesId>(i);
    }
    keys_.emplace_back(key);
    return static_cast<SeriesId>(keys_.size() - 1);
  }
  void sample(SeriesId series, std::int64_t, double value) override {
    const std::lock_guard lock(mutex_);
    samples_[keys_[series]].push_back(value);
    changed_.notify_all();
  }
  void notice(Notice notice) override {
    const std::lock_guard lock(mutex_);
    notices_.push_back(std::move(notice));
    changed_.notify_all();
  }
  void record(KernelRecord record) override {
    const std::lock_guard lock(mutex_);
    records_.push_back(std::move(record));
    changed_.notify_all();
  }

  // Until `condition` holds, called under the lock; false after half a minute, which only a broken reader takes.
  bool wait(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), condition);
  }
  bool noticed(const std::string& type, const std::string& name) const {
    const std::lock_guard lock(mutex_);
    for (const Notice& notice : notices_) {
      if (notice.type == type && notice.name == name) return true;
    }
    return false;
  }
  std::vector<std::string> keys() const { return copy(keys_); }
  std::vector<Notice> notices() const { return copy(notices_); }
  std::vector<KernelRecord> records() const { return copy(records_); }
  // The values of one series, oldest first; none of a series that never spoke.
  std::vector<double> samples(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = samples_.find(key);
    return found == samples_.end() ? std::vector<double>() : found->second;
  }
  bool sampled() const {
    const std::lock_guard lock(mutex_);
    return !samples_.empty();
  }

 private:
  template <typename Kept>
  Kept copy(const Kept& kept) const {
    const std::lock_guard lock(mutex_);
    return kept;
  }

  std::vector<std::string> keys_;
  std::map<std::string, std::vector<double>> samples_;
  std::vector<Notice> notices_;
  std::vector<KernelRecord> records_;
  // Recursive, since a condition that is waited for asks the same questions as a test does.
  mutable std::recursive_mutex mutex_;
  std::condition_variable_any changed_;
};

}  // namespace faultline
