// The supervisor of vendor children as the rest of the core sees it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/reader.h"
#include "core/sink.h"

namespace faultline {

struct VendorLinkOptions {
  std::string executable;
  std::string library;
  std::int64_t interval_ns;
  std::int64_t burst_interval_ns;
  std::int64_t call_deadline_ns;
  // Whether values are read at all; otherwise the child only waits for the driver's events.
  bool poll = true;
  // Pause before a device that was given up is tried again; doubles at each failure.
  std::int64_t retry_ns = 60'000'000'000;
};

class VendorSupervisor;

// Starts at construction; lets go of the sink at stop() or destruction.
class VendorLink final : public Reader {
 public:
  VendorLink(std::shared_ptr<Sink> sink, VendorLinkOptions options);
  ~VendorLink() override;
  void stop() override;
  // Samples at the burst interval for this long.
  void burst(std::int64_t duration_ns);
  // Ends the child so that no device file is open, tells the state `released` when it is gone, with the trace context that
  // it was asked with, and starts again later.
  void release(std::int64_t duration_ns, std::string traceparent = {});
  // 0 while there is none.
  pid_t pid() const;

 private:
  // The thread holds it too: it may outlive this object by the time that a child takes to die.
  std::shared_ptr<VendorSupervisor> supervisor_;
};

}  // namespace faultline
