// The kernel log by the system call syslog(2): what is new in a text that is read again and again.
#include "core/kernel_log/ring.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include "core/clock.h"

namespace faultline {
namespace {

// SYSLOG_ACTION_READ_ALL and SYSLOG_ACTION_SIZE_BUFFER of syslog(2).
constexpr int kReadAll = 3;
constexpr int kSizeBuffer = 10;
// The end of the log is enough while no more than this is new: the kernel copies no more than is asked for.
constexpr std::size_t kTail = 16 * 1024;
constexpr std::size_t kMost = 64 * 1024 * 1024;
// What is remembered of the lines before; times of a microsecond make fewer enough, without them like lines repeat.
constexpr std::size_t kRemembered = 1024;

bool take_number(std::string_view& text, std::uint64_t& number) {
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stopped == text.data()) return false;
  text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
  return true;
}

// `[   12.345678] `, with nothing taken where it is not that.
void take_time(std::string_view& text, std::uint64_t& time_us) {
  std::string_view rest = text;
  if (rest.empty() || rest.front() != '[') return;
  rest.remove_prefix(std::min(rest.find_first_not_of(' ', 1), rest.size()));
  std::uint64_t seconds = 0;
  std::uint64_t micros = 0;
  if (!take_number(rest, seconds) || seconds > 100'000'000'000 || rest.empty() || rest.front() != '.') return;
  rest.remove_prefix(1);
  const std::size_t digits = rest.size();
  if (!take_number(rest, micros) || digits - rest.size() != 6 || rest.empty() || rest.front() != ']') return;
  rest.remove_prefix(1);
  time_us = seconds * 1'000'000 + micros;
  // Who wrote it, where the kernel says that: `[  T123]`.
  if (!rest.empty() && rest.front() == '[') {
    const std::size_t end = rest.find(']');
    const std::size_t first = rest.find_first_not_of(' ', 1);
    if (end != std::string_view::npos && end < 24 && first < end && (rest[first] == 'T' || rest[first] == 'C')) rest.remove_prefix(end + 1);
  }
  if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  text = rest;
}

// As the device writes a text: what is not printable, and the backslash, as \xNN.
void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F && byte != '\\') {
      out.push_back(c);
      continue;
    }
    char escaped[5];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
    out += escaped;
  }
}

}  // namespace

std::string ring_line_to_kmsg(std::string_view line, std::uint64_t sequence, std::uint64_t& time_us) {
  if (line.empty() || line.front() != '<') return {};
  line.remove_prefix(1);
  std::uint64_t priority = 0;
  if (!take_number(line, priority) || priority > 2047 || line.empty() || line.front() != '>') return {};
  line.remove_prefix(1);
  take_time(line, time_us);
  std::string raw = std::to_string(priority) + ',' + std::to_string(sequence) + ',' + std::to_string(time_us) + ",-;";
  append_escaped(raw, line);
  return raw;
}

KernelRing::KernelRing(Call call) : call_(std::move(call)) {}

int KernelRing::open(bool from_start) {
  const int size = call_(kSizeBuffer, nullptr, 0);
  if (size < 0) return errno;
  // Text takes more room than the log itself: each line of a record has its own head.
  capacity_ = std::min(kMost, std::max(kTail, 2 * static_cast<std::size_t>(size)));
  if (const int error = fill(kTail); error != 0) return error;
  if (!from_start) remember();
  return 0;
}

int KernelRing::read(const Take& take, const std::function<void()>& overrun) {
  if (const int error = fill(kTail); error != 0) return error;
  std::size_t begin = news();
  if (begin == std::string::npos && text_.size() + 1024 > kTail) {
    if (const int error = fill(capacity_); error != 0) return error;
    begin = news();
  }
  // Overwritten; or the log was emptied (dmesg --clear), after which little is in it, and all of that is newer.
  const bool lost = begin == std::string::npos && text_.size() > capacity_ / 4;
  const std::uint64_t before_us = begin == std::string::npos ? last_us_ : 0;
  if (begin == std::string::npos) begin = 0;
  if (lost) overrun();
  for (std::size_t at = begin; at < text_.size();) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    std::uint64_t time_us = static_cast<std::uint64_t>(monotonic_now()) / 1000;
    const std::string raw = ring_line_to_kmsg(std::string_view(text_).substr(at, end - at), sequence_, time_us);
    at = end + 1;
    if (raw.empty() || (before_us > 0 && time_us < before_us)) continue;
    ++sequence_;
    last_us_ = time_us;
    take(raw);
  }
  remember();
  return 0;
}

int KernelRing::fill(std::size_t size) {
  text_.resize(size);
  const int got = call_(kReadAll, text_.data(), static_cast<int>(size));
  const int error = errno;
  text_.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return got < 0 ? error : 0;
}

std::size_t KernelRing::news() const {
  if (last_.empty()) return 0;
  const std::size_t at = text_.rfind(last_);
  // Not in the middle of a line.
  const bool whole = at != std::string::npos && (at == 0 || text_[at - 1] == '\n');
  return whole ? at + last_.size() : std::string::npos;
}

void KernelRing::remember() {
  if (text_.empty() || text_.back() != '\n') text_.push_back('\n');
  std::size_t begin = text_.size() > kRemembered ? text_.find('\n', text_.size() - kRemembered - 1) + 1 : 0;
  if (begin >= text_.size()) begin = text_.rfind('\n', text_.size() - 2) + 1;
  last_ = text_ == "\n" ? "" : text_.substr(begin);
  const std::size_t line = last_.empty() ? 0 : last_.rfind('\n', last_.size() - 2) + 1;
  if (!last_.empty()) ring_line_to_kmsg(std::string_view(last_).substr(line, last_.size() - line - 1), 0, last_us_);
  text_.clear();
}

}  // namespace faultline
