// Reads CPU power through RAPL's powercap tree on a thread of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/rapl/zone.h"
#include "core/reader.h"
#include "core/sink.h"
#include "core/thread.h"

namespace faultline {

struct RaplOptions {
  std::string sys_root;
  std::string host;
  std::int64_t interval_ns = 0;
};

class Rapl final : public Reader {
 public:
  static std::shared_ptr<Rapl> start(std::shared_ptr<Sink> sink, RaplOptions options);
  void stop() override { stop_.raise(); }

  Rapl(std::shared_ptr<Sink> sink, RaplOptions options);
  // One round at this moment: looks for zones when due, reads them. Called by the thread.
  void round(std::int64_t now_ns);

 private:
  void run();
  void rescan();
  void read_zones();
  void state(const std::string& name, std::string text);

  const std::shared_ptr<Sink> sink_;
  const RaplOptions options_;
  StopSignal stop_;
  std::vector<Zone> zones_;
  std::int64_t next_scan_ns_ = 0;
  std::int64_t suspended_ns_;
  std::string state_;
};

}  // namespace faultline
