// The kernel log by the system call syslog(2), for where its device is shut: a container without devices that holds CAP_SYSLOG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace faultline {

// The call gives the whole log as text, without the sequence numbers of the device, and nothing tells of news: it is read again and
// again, and what is new is what comes after the lines that were last before. Its own position is left alone, as another program's
// reading depends on it.
class KernelRing {
 public:
  // As klogctl(3): -1 with errno set where it fails.
  using Call = std::function<int(int action, char* buffer, int size)>;
  using Take = std::function<void(std::string_view raw)>;

  explicit KernelRing(Call call);

  // Remembers where the log ends; with `from_start` nothing counts as read. 0, or the error of the call.
  int open(bool from_start);
  // Hands each new line over in the form of /dev/kmsg. `overrun` is called before the first line after some that were overwritten.
  // 0, or the error of the call.
  int read(const Take& take, const std::function<void()>& overrun);

 private:
  int fill(std::size_t size);
  // Where in `text_` the news begins; `npos` where the last lines are not in it.
  std::size_t news() const;
  void remember();

  Call call_;
  std::size_t capacity_ = 0;
  std::string text_;
  std::string last_;  // the last lines that were read, whole
  std::uint64_t last_us_ = 0;
  std::uint64_t sequence_ = 0;
};

// `<6>[   12.345678][  T123] text` as `6,SEQUENCE,12345678,-;text`; empty where it is not such a line. `time_us` becomes
// that of the line, and stays what it is where the kernel writes none (printk.time=0).
std::string ring_line_to_kmsg(std::string_view line, std::uint64_t sequence, std::uint64_t& time_us);

}  // namespace faultline
