// What the library answered, in the words that all vendors share: judges each answer for its device and for the library as a
// whole, and hands values on.
#pragma once

#include <cstdint>

#include "core/vendor/calls.h"
#include "core/vendor/quantities.h"
#include "vendor/device.h"

namespace faultline {

enum class Outcome {
  kOk,
  kUnsupported,  // not in this library, or not of this device
  kDeviceDead,
  kLibraryDead,
  kUnknown,    // an error without a reason; of all devices at once it is a right that was lost
  kTimeout,    // the driver did not answer in time; where events are waited for: none came
  kNotThere,   // the driver does not have such a device
  kTransient,
};

struct Answer {
  Outcome outcome = Outcome::kOk;
  int code = 0;  // the library's own
  bool ok() const { return outcome == Outcome::kOk; }
};

class Answers {
 public:
  explicit Answers(Reporter& reporter) : reporter_(reporter) {}

  // False for everything once the device or the library is gone, and for the rest of a round that timed out.
  bool may_ask(const VendorDevice& device) const { return !device.lost && !device.timed_out && !dead_; }
  // Counts the answer and, where it says so, takes the device or the library for gone. True on success.
  bool judge(VendorDevice& device, VendorCall call, Answer answer);
  // Values that cannot be are dropped; they are absent.
  void put(const VendorDevice& device, Quantity quantity, double value, std::uint32_t link = kNoLink);

  void begin_round() { answers_ = unknown_ = timeouts_ = 0; }
  // Every answer since then was "unknown", and there was one.
  bool all_unknown() const { return answers_ > 0 && answers_ == unknown_; }
  Answer unknown() const { return last_unknown_; }
  unsigned timeouts() const { return timeouts_; }
  bool dead() const { return dead_; }
  Answer death() const { return death_; }
  std::uint64_t values() const { return values_; }
  // Whether to ask for what was not supported, too: a driver that splits a GPU, or joins it again, changes what it answers.
  void ask_again(bool again) { again_ = again; }
  bool again() const { return again_; }

 private:
  Reporter& reporter_;
  bool again_ = false;
  bool dead_ = false;
  Answer death_, last_unknown_;
  unsigned answers_ = 0, unknown_ = 0, timeouts_ = 0;
  std::uint64_t values_ = 0;  // that were put into the ring
};

}  // namespace faultline
