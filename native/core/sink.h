// Where readers put what they read: samples into series, everything else as notices and kernel records.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace faultline {

using SeriesId = std::uint32_t;

// One field of a notice besides those that all have: nothing where the device does not give it.
using NoticeDetail = std::variant<std::monostate, double, std::string, std::vector<std::uint32_t>>;
// By the names that src/model/native-notice.ts has for them.
using NoticeDetails = std::vector<std::pair<std::string, NoticeDetail>>;

// What a reader reports besides samples; typed by name in src/model/native-notice.ts.
struct Notice {
  std::string type;
  std::int64_t monotonic_ns = 0;
  std::string component;
  std::string name;
  std::string text;
  double value = 0;
  // The trace context that a command came with, where this answers one.
  std::string traceparent = {};
  NoticeDetails details = {};
};

struct KernelRecord {
  std::uint64_t sequence = 0;
  std::int64_t monotonic_ns = 0;
  std::int64_t observed_ns = 0;
  int priority = 0;
  int facility = 0;
  std::string text;
  std::uint64_t repeats = 0;  // lines of its shape that were left out since the one handed over before it
};

struct SeriesSample {
  SeriesId series = 0;
  std::int64_t monotonic_ns = 0;
  double value = 0;
};

// Thread-safe. Calls never block on JavaScript and never throw. Times are CLOCK_MONOTONIC nanoseconds.
class Sink {
 public:
  virtual ~Sink() = default;
  // Id of the series with this key (`<component>#<quantity>`), made on first use.
  virtual SeriesId series(std::string_view key) = 0;
  virtual void sample(SeriesId series, std::int64_t monotonic_ns, double value) = 0;
  // What was read together.
  virtual void samples(std::span<const SeriesSample> readings) {
    for (const SeriesSample& one : readings) sample(one.series, one.monotonic_ns, one.value);
  }
  virtual void notice(Notice notice) = 0;
  virtual void record(KernelRecord record) = 0;
};

}  // namespace faultline
