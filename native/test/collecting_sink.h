// A sink that keeps what readers say, and waits for it without guessing how long that takes.
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
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] == key) return static_cast<SeriesId>(i);
    }
    keys.emplace_back(key);
    return static_cast<SeriesId>(keys.size() - 1);
  }
  void sample(SeriesId series, std::int64_t, double value) override {
    const std::lock_guard lock(mutex_);
    samples[keys[series]].push_back(value);
    changed_.notify_all();
  }
  void notice(Notice notice) override {
    const std::lock_guard lock(mutex_);
    notices.push_back(std::move(notice));
    changed_.notify_all();
  }
  void record(KernelRecord record) override {
    const std::lock_guard lock(mutex_);
    records.push_back(std::move(record));
    changed_.notify_all();
  }

  // Until `condition` holds, called under the lock; false after half a minute, which only a broken reader takes.
  bool wait(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), condition);
  }
  bool noticed(const std::string& type, const std::string& name) const {
    for (const Notice& notice : notices) {
      if (notice.type == type && notice.name == name) return true;
    }
    return false;
  }

  std::vector<std::string> keys;
  std::map<std::string, std::vector<double>> samples;
  std::vector<Notice> notices;
  std::vector<KernelRecord> records;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace faultline
