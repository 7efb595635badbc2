// What an answer means for its device and for all.
#include "vendor/answers.h"

#include "core/clock.h"
#include "core/vendor/plausible.h"

namespace faultline {

bool Answers::judge(VendorDevice& device, VendorCall call, Answer answer) {
  if (answer.outcome != Outcome::kUnsupported) ++answers_;
  switch (answer.outcome) {
    case Outcome::kOk:
      return true;
    case Outcome::kDeviceDead:
      if (!device.lost) reporter_.device_lost(device.identity.seat, vendor_call_name(call), answer.code);
      device.lost = true;
      break;
    case Outcome::kLibraryDead:
      dead_ = true;
      death_ = answer;
      break;
    case Outcome::kUnknown:
      ++unknown_;
      last_unknown_ = answer;
      break;
    case Outcome::kTimeout:
      ++timeouts_;
      rest_after_timeout(device, reporter_);
      break;
    case Outcome::kUnsupported:
    case Outcome::kNotThere:
    case Outcome::kTransient:
      break;
  }
  return false;
}

void Answers::put(const VendorDevice& device, Quantity quantity, double value, std::uint32_t link) {
  if (!is_plausible(quantity, value)) return;
  ++values_;
  reporter_.sample(device.identity.seat, quantity, monotonic_now(), value, link);
}

void rest_after_timeout(VendorDevice& device, Reporter& reporter) {
  device.timed_out = true;
  if (!device.rest.timed_out(monotonic_now())) return;
  reporter.event(device.identity.seat, "reads_paused", static_cast<double>(device.rest.pause_ns()) * 1e-9,
                 "the driver timed out; seconds without reads");
}

}  // namespace faultline
