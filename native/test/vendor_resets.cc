// Resets seen by the energy counter, told apart from reloads, glitches and idle devices that the driver let go.
#include "check.h"
#include "core/vendor/reset_watch.h"

using namespace faultline;
using checks::test;

int main() {
  test("a counter that starts again under the child's eyes is a reset, at the second low reading", [] {
    ResetWatch watch;
    CHECK(watch.energy("0", 5000).empty());
    CHECK(watch.energy("0", 5200).empty());
    CHECK(watch.energy("0", 3).empty());
    const auto resets = watch.energy("0", 90);
    CHECK_EQ(resets.size(), 1U);
    CHECK(resets.size() == 1 && resets[0].device == "0" && !resets[0].between_children);
    CHECK(watch.energy("0", 180).empty());
  });

  test("one low reading, or a counter that does not change or is rounded, is not a reset", [] {
    ResetWatch watch;
    watch.energy("0", 5000);
    CHECK(watch.energy("0", 0).empty());
    CHECK(watch.energy("0", 5100).empty());
    CHECK(watch.energy("0", 0).empty());
    CHECK(watch.energy("0", 5200).empty());
    for (int i = 0; i < 3; ++i) CHECK(watch.energy("0", 5199.5).empty());
  });

  test("a restart between two children is a reset where another device counted on, in either order", [] {
    for (const bool reset_first : {true, false}) {
      ResetWatch watch;
      watch.energy("0", 5000);
      watch.energy("1", 7000);
      watch.new_child();
      std::vector<ResetWatch::Reset> found;
      const auto feed = [&](int device, double joules) {
        for (const auto& reset : watch.energy(std::to_string(device), joules)) found.push_back(reset);
      };
      for (int i = 0; i < 3; ++i) {
        if (reset_first) feed(0, 10 + i);
        feed(1, 7100 + i);
        if (!reset_first) feed(0, 10 + i);
      }
      CHECK_EQ(found.size(), 1U);
      CHECK(found.size() == 1 && found[0].device == "0" && found[0].between_children);
    }
  });

  test("all counters restarting between two children tell of a reload, not of resets", [] {
    ResetWatch watch;
    for (std::uint32_t device = 0; device < 8; ++device) watch.energy(std::to_string(device), 5000);
    watch.new_child();
    for (int i = 0; i < 4; ++i) {
      for (std::uint32_t device = 0; device < 8; ++device) CHECK(watch.energy(std::to_string(device), 10 + i).empty());
    }
  });

  test("a device that turns up again is not a witness, and a driver that went away takes what was known with it", [] {
    ResetWatch watch;
    watch.energy("0", 5000);
    watch.new_child();
    for (int i = 0; i < 4; ++i) {
      CHECK(watch.energy("0", 10 + i).empty());
      CHECK(watch.energy("9", 800 + i).empty());
    }
    watch.clear();
    for (int i = 0; i < 3; ++i) CHECK(watch.energy("9", i).empty());
  });
  return checks::result();
}
