// One thread's calls into the vendor library: each is visible to the supervisor while it lasts, and its time is counted.
#pragma once

#include <cstdint>
#include <utility>

#include "core/clock.h"
#include "core/vendor/ring.h"

namespace faultline {

class CallContext {
 public:
  CallContext(RingLayout& ring, std::uint32_t slot) : slot_(ring.calls[slot]) {}

  void enter(VendorCall call, std::uint32_t device) {
    entered_ns_ = monotonic_now();
    slot_.what.store(static_cast<std::uint64_t>(call) << 32 | device, std::memory_order_release);
    slot_.start_ns.store(entered_ns_, std::memory_order_release);
  }
  void leave() {
    slot_.start_ns.store(0, std::memory_order_release);
    spent_ns_ += monotonic_now() - entered_ns_;
  }

  // A symbol that the library does not have answers `missing`.
  template <class Return, class... Parameters, class... Arguments>
  Return call(VendorCall name, std::uint32_t device, Return missing, Return (*function)(Parameters...),
              Arguments... arguments) {
    if (function == nullptr) return missing;
    enter(name, device);
    const Return result = function(arguments...);
    leave();
    return result;
  }

  // Time inside the library since the last question.
  std::int64_t take_spent_ns() { return std::exchange(spent_ns_, 0); }

 private:
  CallSlot& slot_;
  std::int64_t entered_ns_ = 0;
  std::int64_t spent_ns_ = 0;
};

}  // namespace faultline
