// Reads the kernel log on its own thread: /dev/kmsg, or a file in its form; where that device is shut, by the system call syslog(2).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/kernel_log/intake.h"
#include "core/kernel_log/ring.h"
#include "core/reader.h"
#include "core/scan/word_scanner.h"
#include "core/sink.h"
#include "core/thread.h"

namespace faultline {

struct KernelLogOptions {
  std::string path;
  bool user_lines = false;
  bool from_start = false;
  bool fold_storms = false;
  // Of the rules that the lines are for: one with none of them is counted and not handed over. Null: every line is.
  std::shared_ptr<const WordScanner> words = nullptr;
};

class KernelLog final : public Reader {
 public:
  // Reads until stop(). What is absent or forbidden is reported, and taken up when that changes.
  static std::shared_ptr<KernelLog> start(std::shared_ptr<Sink> sink, KernelLogOptions options);

  void stop() override { stop_.raise(); }
  // Lines that were not in kmsg form.
  std::uint64_t malformed() const { return intake_.malformed_count(); }
  KernelLogCounts counts() const { return intake_.counts(); }

  KernelLog(std::shared_ptr<Sink> sink, KernelLogOptions options);

 private:
  void run();
  // Opens and reads until it goes away; `from_start` as of this opening.
  void read_once(bool from_start);
  void read_device(int fd, bool from_start);
  int drain_device(int fd);
  void tell_failure(int error);
  void follow_file(int fd, bool from_start);
  // False where the system call is refused as well.
  bool read_ring(const std::string& why, bool from_start);
  // Until the path may have appeared, five seconds at most.
  void wait_for_path();

  const std::shared_ptr<Sink> sink_;
  const KernelLogOptions options_;
  StopSignal stop_;
  KernelIntake intake_;
  std::optional<KernelRing> ring_;
};

}  // namespace faultline
