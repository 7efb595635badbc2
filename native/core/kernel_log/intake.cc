// Takes raw records, keeps what is wanted, and tells the sink; shared by the device and the file follower.
#include "core/kernel_log/intake.h"

#include "core/clock.h"
#include "core/kernel_log/kmsg.h"

namespace faultline {

void KernelIntake::tell_overrun(const KernelRecord& next) {
  overrun_ = false;
  const bool known = last_sequence_ && next.sequence > *last_sequence_;
  const std::uint64_t lost = known ? next.sequence - *last_sequence_ - 1 : 0;
  sink_.notice({"kernel_overrun", monotonic_now(), "", "",
                known ? "the kernel log overran the reader" : "the kernel log overran the reader; how much is not known",
                static_cast<double>(lost)});
}

void KernelIntake::record(std::string_view raw) {
  auto parsed = parse_kmsg(raw);
  if (!parsed) return malformed();
  if (stop_.raised()) return;
  if (overrun_) tell_overrun(*parsed);
  last_sequence_ = parsed->sequence;
  if (parsed->facility != 0 && !user_lines_) return;
  parsed->observed_ns = monotonic_now();
  sink_.record(std::move(*parsed));
}

void KernelIntake::state(std::string_view name, std::string text) {
  if (state_ == name || stop_.raised()) return;
  state_ = name;
  sink_.notice({"kernel_state", monotonic_now(), "", std::string(name), std::move(text), 0});
}

}  // namespace faultline
