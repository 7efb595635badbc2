// Sees that a GPU was reset by its energy counter, which starts again then and never goes back otherwise.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace faultline {

class ResetWatch {
 public:
  struct Reset {
    std::string device;  // PCI address
    bool between_children;  // while no child held the device, as after a release; else under a child's eyes
  };
  // A new child begins. A counter that restarted while none ran tells of a reset only where another device counted on:
  // a driver that was reloaded, or that let go of idle devices for want of persistence mode, restarts all of them.
  void new_child();
  // The driver went away, or what was read is not believed any more: whatever comes is a new beginning.
  void clear() { counters_.clear(); }
  // The device came back from a loss, which tells of its reset already.
  void forget(const std::string& device) { counters_.erase(device); }
  // Takes a reading; gives the resets that are certain by now. A single low reading is none.
  std::vector<Reset> energy(const std::string& device, double joules);

 private:
  enum class Since { kUnknown, kContinued, kRestarted, kSettled };
  struct Counter {
    double last = 0;
    double low = 0;
    bool suspect = false;
    Since since = Since::kUnknown;  // the child began
  };

  bool restarted(Counter& counter, double joules) const;
  std::vector<Reset> between_children();

  std::map<std::string, Counter> counters_;
};

}  // namespace faultline
