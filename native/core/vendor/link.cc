// Runs the supervisor in a thread that is never joined.
#include "core/vendor/link.h"

#include <utility>

#include "core/clock.h"
#include "core/thread.h"
#include "core/vendor/supervisor.h"

namespace faultline {
VendorLink::VendorLink(std::shared_ptr<Sink> sink, VendorLinkOptions options)
    : supervisor_(std::make_shared<VendorSupervisor>(sink, std::move(options))) {
  const bool started = start_thread("faultline-gpu", [supervisor = supervisor_] { supervisor->run(); });
  if (started) return;
  Notice refused{.type = "state",
                 .monotonic_ns = monotonic_now(),
                 .component = {},
                 .name = "failed",
                 .text = "the system gives no thread for the supervisor of faultline-vendor"};
  sink->notice(std::move(refused));
}

VendorLink::~VendorLink() { stop(); }
void VendorLink::stop() { supervisor_->stop(); }
void VendorLink::burst(std::int64_t duration_ns) { supervisor_->burst(duration_ns); }
void VendorLink::release(std::int64_t duration_ns, std::string traceparent) {
  supervisor_->release(duration_ns, std::move(traceparent));
}
pid_t VendorLink::pid() const { return supervisor_->pid(); }

}  // namespace faultline
