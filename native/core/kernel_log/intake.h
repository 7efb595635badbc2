// Takes raw records, keeps what is wanted, and tells the sink; shared by the device and the file follower.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/sink.h"
#include "core/thread.h"

namespace faultline {

class KernelIntake {
 public:
  KernelIntake(Sink& sink, const StopSignal& stop, bool user_lines) : sink_(sink), stop_(stop), user_lines_(user_lines) {}

  void record(std::string_view raw);
  // A gap before the next record was announced by the kernel; how many were lost shows in its sequence.
  void overrun() { overrun_ = true; }
  // Told to the sink only when it differs from the state before. `name`: works | absent | no_permission | refused | failed.
  void state(std::string_view name, std::string text);
  void malformed() { malformed_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t malformed_count() const { return malformed_.load(std::memory_order_relaxed); }

 private:
  void tell_overrun(const KernelRecord& next);

  Sink& sink_;
  const StopSignal& stop_;
  const bool user_lines_;
  std::optional<std::uint64_t> last_sequence_;
  bool overrun_ = false;
  std::string state_;
  std::atomic<std::uint64_t> malformed_{0};
};

}  // namespace faultline
