// The process-wide state behind the stand-in's calls: what the control file says now, and counters that run with time.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "fake/control.h"

namespace faultline::fake {

// Nanoseconds spent in each slowdown, and energy, since the library was loaded.
struct Counters {
  std::int64_t updated_ns = 0;
  double energy_mj = 0;
  unsigned long long power_cap_ns = 0, sw_thermal_ns = 0, hw_thermal_ns = 0, power_brake_ns = 0;
};

class World {
 public:
  static World& instance();

  // Reads the control file again when it changed (looked at most every 2 ms), then acts out the faults of `symbol` and
  // of GPU `index` (-1: none; `handle`, where there is one, says which instead): waits, hangs, crashes. Gives the code to
  // return, 0 to continue.
  int enter(const char* symbol, int index, unsigned handle = 0);
  // Copies, so that no caller holds the lock while waiting.
  std::size_t count();
  std::string driver();
  EventScript system_event();
  bool gpu(int index, Gpu& out, Counters& counters, unsigned handle = 0);
  // A handle stays its device's, by PCI address, whatever index that gets, as with the real driver; 0: no such device.
  unsigned handle_of(unsigned index);
  int index_of(unsigned handle);

  const std::string& control() const { return path_; }
  bool initialised();
  void initialise(int by);

 private:
  World();
  void refresh();
  int place_of(unsigned handle) const;

  std::mutex mutex_;
  std::string path_;
  State state_;
  std::array<Counters, kMostGpus> counters_{};
  std::vector<std::string> handles_;  // PCI addresses; a handle is one more than its place
  std::int64_t looked_ns_ = 0;
  std::int64_t changed_ns_ = -1, inode_ = -1, size_ = -1;
  int users_ = 0;
};

}  // namespace faultline::fake
