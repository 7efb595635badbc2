// Takes raw records, keeps what is wanted, and tells the sink; shared by the device and the file follower.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/kernel_log/storm_folder.h"
#include "core/scan/word_scanner.h"
#include "core/sink.h"
#include "core/thread.h"

namespace faultline {

// Lines that were read and not handed over, by why.
struct KernelLogCounts {
  std::uint64_t user_lines = 0;  // written by user space
  std::uint64_t fragments = 0;   // pieces of interrupted lines
  std::uint64_t malformed = 0;   // not in kmsg form
  std::uint64_t folded = 0;      // reported as `repeats` of another
  std::uint64_t handed = 0;      // these were
  std::uint64_t passed = 0;      // without a word of any rule
};

class KernelIntake {
 public:
  // With `fold` a storm of like lines is handed over at a bounded rate (storm_folder.h). `words`: of all rules, null for every line.
  KernelIntake(Sink& sink, const StopSignal& stop, bool user_lines, bool fold = false,
               std::shared_ptr<const WordScanner> words = nullptr);

  void record(std::string_view raw);
  // A gap before the next record was announced by the kernel; how many were lost shows in its sequence.
  void overrun() { overrun_ = true; }
  // Reported to the sink only when it differs from the state before. `name`: works | absent | no_permission | refused | failed.
  void state(std::string_view name, std::string text);
  void malformed() { malformed_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t malformed_count() const { return malformed_.load(std::memory_order_relaxed); }
  // From any thread.
  KernelLogCounts counts() const;

  // How long to wait for the next line at the longest, -1 for ever: what was held back is then handed over by `settle`.
  int patience_ms() const { return folder_ && folder_->waiting() ? 500 : -1; }
  void settle();

 private:
  void tell_overrun(const KernelRecord& next);

  Sink& sink_;
  const StopSignal& stop_;
  const bool user_lines_;
  const std::shared_ptr<const WordScanner> words_;
  std::optional<std::uint64_t> last_sequence_;
  bool overrun_ = false;
  std::string state_;
  std::optional<StormFolder> folder_;
  std::atomic<std::uint64_t> malformed_{0};
  std::atomic<std::uint64_t> by_users_{0};
  std::atomic<std::uint64_t> fragments_{0};
  std::atomic<std::uint64_t> folded_{0};
  std::atomic<std::uint64_t> handed_{0};
  std::atomic<std::uint64_t> passed_{0};
};

}  // namespace faultline
