// Takes raw records, keeps what is wanted, and tells the sink; shared by the device and the file follower.
#include "core/kernel_log/intake.h"

#include <utility>

#include "core/clock.h"
#include "core/kernel_log/kmsg.h"

namespace faultline {

KernelIntake::KernelIntake(Sink& sink, const StopSignal& stop, bool user_lines, bool fold, std::shared_ptr<const WordScanner> words)
    : sink_(sink), stop_(stop), user_lines_(user_lines), words_(std::move(words)) {
  if (!fold) return;
  folder_.emplace([this](KernelRecord record) {
    handed_.fetch_add(1, std::memory_order_relaxed);
    sink_.record(std::move(record));
  });
}

KernelLogCounts KernelIntake::counts() const {
  const auto count = [](const std::atomic<std::uint64_t>& one) { return one.load(std::memory_order_relaxed); };
  return {count(by_users_), count(fragments_), count(malformed_), count(folded_), count(handed_), count(passed_)};
}

void KernelIntake::settle() {
  if (!folder_ || stop_.raised()) return;
  folder_->settle(monotonic_now());
  folded_.store(folder_->folded(), std::memory_order_relaxed);
}

void KernelIntake::tell_overrun(const KernelRecord& next) {
  overrun_ = false;
  const bool known = last_sequence_ && next.sequence > *last_sequence_;
  const std::uint64_t lost = known ? next.sequence - *last_sequence_ - 1 : 0;
  sink_.notice({"kernel_overrun", monotonic_now(), "", "",
                known ? "the kernel log overran the reader" : "the kernel log overran the reader; how much is not known",
                static_cast<double>(lost)});
}

void KernelIntake::record(std::string_view raw) {
  std::string_view text;
  auto parsed = parse_kmsg_head(raw, text);
  if (!parsed) return malformed();
  if (stop_.raised()) return;
  if (overrun_) tell_overrun(*parsed);
  last_sequence_ = parsed->sequence;
  const bool by_user = parsed->facility != 0;
  if (by_user && !user_lines_) {
    by_users_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // What it begins with was in the middle of a line: a name, a path, whatever a user chose.
  if (parsed->fragment) {
    fragments_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  // As the kernel escapes it: none of the words holds what is escaped.
  if (words_ && !words_->first_in(text)) {
    passed_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  parsed->text = decode_kmsg_text(text);
  parsed->observed_ns = monotonic_now();
  KernelRecord& record = *parsed;
  if (folder_) {
    folder_->take(std::move(record), by_user, record.observed_ns);
    folded_.store(folder_->folded(), std::memory_order_relaxed);
    return;
  }
  handed_.fetch_add(1, std::memory_order_relaxed);
  sink_.record(std::move(record));
}

void KernelIntake::state(std::string_view name, std::string text) {
  if (state_ == name || stop_.raised()) return;
  state_ = name;
  sink_.notice({"kernel_state", monotonic_now(), "", std::string(name), std::move(text), 0});
}

}  // namespace faultline
