// Reads CPU power through RAPL's powercap tree on its own thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/rapl/fast_pace.h"
#include "core/rapl/zone.h"
#include "core/reader.h"
#include "core/sink.h"
#include "core/thread.h"

namespace faultline {

struct RaplOptions {
  std::string sys_root;
  std::string host;
  std::int64_t interval_ns = 0;
  // 0: power is the mean over `interval_ns`. Else energy is read this often, and the extremes of power in between are published.
  std::int64_t fast_interval_ns = 0;
};

class Rapl final : public Reader {
 public:
  static std::shared_ptr<Rapl> start(std::shared_ptr<Sink> sink, RaplOptions options);
  void stop() override { stop_.raise(); }

  Rapl(std::shared_ptr<Sink> sink, RaplOptions options);
  // One round at this moment: looks for zones when due, reads them. Called by the thread.
  void round(std::int64_t now_ns);
  // How long the host was suspended since boot; an interval in which that grew is not counted. Called by the thread.
  void suspended(std::int64_t suspended_ns);

 private:
  void run();
  void rescan();
  void read_zones(std::int64_t now_ns);
  void read_fast(std::int64_t until_ns);
  void state(const std::string& name, std::string text);

  const std::shared_ptr<Sink> sink_;
  const RaplOptions options_;
  StopSignal stop_;
  std::vector<Zone> zones_;
  std::int64_t next_scan_ns_ = 0;
  std::int64_t last_scan_ns_ = 0;
  std::int64_t next_limits_ns_ = 0;
  int troubled_rounds_ = 0;  // in a row, in which no zone gave its energy
  std::int64_t suspended_ns_;
  FastPace pace_;
  std::string state_;
};

}  // namespace faultline
