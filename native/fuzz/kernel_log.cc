// Fuzzes the kernel log as a file that grows: the first byte says in how many pieces it comes, the rest is its text.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/kernel_log/kmsg.h"
#include "core/kernel_log/log_file.h"
#include "fuzz/watching_sink.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace faultline;
  if (size == 0) return 0;
  const std::size_t pieces = 1 + data[0] % 4;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  (void)parse_kmsg(text);
  (void)line_shape(text);
  const int writer = ::memfd_create("fuzz", 0);
  if (writer < 0) return 0;
  WatchingSink sink;
  const StopSignal stop;
  KernelIntake intake(sink, stop, data[0] % 2 == 0, data[0] % 8 < 4);
  LogFile file(::dup(writer), "/nonexistent", true);
  for (std::size_t at = 0, piece = 1 + text.size() / pieces; at < text.size(); at += piece) {
    const std::string_view part = text.substr(at, piece);
    if (::write(writer, part.data(), part.size()) < 0) break;
    file.read_on(intake, stop);
  }
  if (data[0] >= 128 && ::ftruncate(writer, static_cast<off_t>(text.size() / 2)) == 0) file.read_on(intake, stop);
  ::close(writer);
  intake.settle();
  const KernelLogCounts counts = intake.counts();
  if (counts.handed + counts.folded > 2 * size) __builtin_trap();  // each line is counted once
  return 0;
}
