// Series by key (`<component>#<quantity>`): a dense id each, bounded in number and in length.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/sink.h"

namespace faultline {

// What `series()` answers when no more series fit; samples for it are dropped.
inline constexpr SeriesId kNoSeries = 0xffffffff;

struct SeriesKey {
  std::string_view component;       // "gpu/0000:9b:00.0"
  std::string_view component_type;  // "gpu"
  std::string_view quantity;        // "power"
};

// Parts of a key; empty parts where it has none.
SeriesKey split_key(std::string_view key);

// Not thread-safe.
class SeriesRegistry {
 public:
  static constexpr std::size_t kMaxKeyBytes = 512;

  explicit SeriesRegistry(std::size_t max_series) : max_series_(max_series) {}

  struct Made {
    SeriesId id;
    bool fresh;
  };
  // kNoSeries when the key is empty or too long, or the registry is full.
  Made intern(std::string_view key);
  SeriesId find(std::string_view key) const;
  std::size_t size() const { return keys_.size(); }
  const std::string& key(SeriesId id) const { return keys_[id]; }

 private:
  std::size_t max_series_;
  std::deque<std::string> keys_;  // a deque: the map's views point into it
  std::unordered_map<std::string_view, SeriesId> ids_;
};

}  // namespace faultline
