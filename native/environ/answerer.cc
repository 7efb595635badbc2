// Reads, and cannot open: it holds no capability, and has no call but reading, sending and receiving.
#include "environ/answerer.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/confine/rights.h"
#include "core/processes/environ_answer.h"
#include "core/processes/open_file.h"
#include "core/processes/printed_log.h"
#include "core/processes/process_files.h"
#include "environ/confine.h"
#include "environ/ending.h"
#include "environ/lister.h"
#include "environ/message.h"
#include "environ/opener.h"

namespace faultline::environ_reader {
namespace {

constexpr std::size_t kMostEnvironment = 1024 * 1024;
constexpr std::size_t kMostMaps = 4 * 1024 * 1024;
constexpr std::size_t kMostStat = 4096;

char buffer[64 * 1024];
AllowedValues values;

// Feeds `most` bytes at most to `take`; returns an errno.
template <typename Take>
int read_all(int fd, std::size_t most, Take take) {
  for (std::size_t done = 0; done < most;) {
    const ssize_t count = read(fd, buffer, std::min(sizeof buffer, most - done));
    if (count < 0) return errno;
    if (count == 0) return 0;
    take(std::string_view(buffer, static_cast<std::size_t>(count)));
    done += static_cast<std::size_t>(count);
  }
  return 0;
}

bool is_that_process(int fd, std::uint64_t start) {
  char text[kMostStat];
  const ssize_t count = fd < 0 ? -1 : read(fd, text, sizeof text);
  return count > 0 && start_ticks({text, static_cast<std::size_t>(count)}) == start;
}

// Fills what the answer begins with, and `values`.
void look(const Request& request, const Opening& opening, const int (&fds)[kOpenedFiles], AnswerHead& head) {
  head.variables_error = opening.errors[kEnviron];
  head.libraries_error = opening.errors[kMaps];
  if (!is_that_process(fds[kStatBefore], request.start_ticks)) {
    head.variables_error = head.libraries_error = opening.errors[kStatBefore] != 0 ? opening.errors[kStatBefore] : ESRCH;
    return;
  }
  if (fds[kEnviron] >= 0) {
    head.variables_error = read_all(fds[kEnviron], kMostEnvironment, [](std::string_view piece) { values.feed(piece); });
    values.finish();
  }
  AllowedLibraries libraries;
  if (fds[kMaps] >= 0)
    head.libraries_error = read_all(fds[kMaps], kMostMaps, [&](std::string_view piece) { libraries.feed(piece); });
  head.libraries = libraries.found();
  if (is_that_process(fds[kStatAfter], request.start_ticks)) return;
  values.forget();
  head.libraries = 0;
  head.variables_error = head.libraries_error = ESRCH;
}

// How many logs may be handed over: a burst as large as a node full of ranks, then some each second.
class LogBudget {
 public:
  bool take() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    left_ = std::min(kMost, left_ + static_cast<std::uint64_t>(now.tv_sec - at_) * kEachSecond);
    at_ = now.tv_sec;
    return left_ > 0 && left_-- > 0;
  }

 private:
  static constexpr std::uint64_t kMost = 128;
  static constexpr std::uint64_t kEachSecond = 8;
  std::uint64_t left_ = kMost;
  time_t at_ = 0;
};

// What came of one listing: its files, and the descriptor of the log.
class Listed {
 public:
  ~Listed() {
    for (std::size_t each = 0; each < count_; ++each) close(fds_[each]);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;
  Listed() = default;

  // False where the half that lists is gone, or sends what it would not.
  bool ask(int lister, const Request& request) {
    const ListingRequest asked{request.pid, request.wants, request.inode};
    if (!send(lister, &asked, sizeof asked)) return false;
    const ssize_t size = receive(lister, packet, sizeof packet, fds_, &count_);
    if (size < static_cast<ssize_t>(sizeof listing_)) return false;
    memcpy(&listing_, packet, sizeof listing_);
    const std::size_t expected = std::size_t{listing_.has_stat} + listing_.infos + 2 * std::size_t{listing_.has_log} + listing_.has_stat_after;
    return listing_.bytes == static_cast<std::size_t>(size) - sizeof listing_ && expected == count_;
  }

  void judge(const Request& request, LogBudget& budget, AnswerHead& head) {
    head.files_error = listing_.error;
    head.log_error = listing_.log_error;
    const bool same = listing_.has_stat != 0 && is_that_process(fds_[0], request.start_ticks);
    if (same) learn_inodes();
    const std::size_t behind = listing_.has_stat + listing_.infos;
    if (listing_.has_log != 0 && head.log_error == 0)
      head.log_error = !may_lend(fds_[behind], fds_[behind + 1], request) ? EACCES : !budget.take() ? EAGAIN : 0;
    if (same && listing_.has_stat_after != 0 && is_that_process(fds_[count_ - 1], request.start_ticks)) {
      head.files_bytes = listing_.bytes;
      log_ = listing_.has_log != 0 && head.log_error == 0 ? &fds_[behind + 1] : nullptr;
      return;
    }
    head.files_error = head.log_error = listing_.has_stat != 0 || listing_.error == 0 || listing_.error == ENODATA ? ESRCH : listing_.error;
  }

  iovec files(const AnswerHead& head) const { return {packet + sizeof listing_, head.files_bytes}; }
  const int* log() const { return log_; }

 private:
  void learn_inodes() {
    std::size_t info = listing_.has_stat;
    for (std::size_t at = sizeof listing_; at + sizeof(FileHead) <= sizeof listing_ + listing_.bytes;) {
      FileHead file;
      memcpy(&file, packet + at, sizeof file);
      if ((file.is & kWritten) != 0 && info < listing_.has_stat + listing_.infos) {
        char text[kMostStat];
        const ssize_t size = read(fds_[info++], text, sizeof text);
        file.inode = size < 0 ? 0 : number_behind({text, static_cast<std::size_t>(size)}, "ino:", 10);
        memcpy(packet + at, &file, sizeof file);
      }
      at += sizeof file + file.size;
    }
  }

  static bool may_lend(int status, int log, const Request& request) {
    char text[kMostStat];
    const ssize_t size = read(status, text, sizeof text);
    struct stat file {};
    return size > 0 && is_log_file(log, request.inode) && fstat(log, &file) == 0 &&
           may_read_log({text, static_cast<std::size_t>(size)}, file);
  }

  static char packet[kMostListing];

  Listing listing_;
  int fds_[kMostSent]{};
  std::size_t count_ = 0;
  const int* log_ = nullptr;
};

char Listed::packet[kMostListing];

struct Halves {
  int opener;
  int lister;
  OpenerRights rights;
  bool lists;
  LogBudget budget;
};

// Variables and libraries, as the opener opened them. False where it is gone.
bool look_by_opener(const Request& request, int opener, AnswerHead& head) {
  const std::uint32_t asked[] = {request.pid, request.wants};
  Opening opening;
  int arrived[kMostSent];
  std::size_t count = 0;
  if (!send(opener, asked, sizeof asked) || receive(opener, &opening, sizeof opening, arrived, &count) != sizeof opening) return false;
  int fds[kOpenedFiles];
  for (std::size_t each = 0, at = 0; each < kOpenedFiles; ++each)
    fds[each] = opening.errors[each] == 0 && at < count ? arrived[at++] : -1;
  look(request, opening, fds, head);
  for (std::size_t each = 0; each < count; ++each) close(arrived[each]);
  return true;
}

bool answer_one(int connection, Halves& halves) {
  constexpr std::uint32_t kOfFiles = kWantsFiles | kWantsLog;
  Request request;
  if (receive(connection, &request, sizeof request) != sizeof request || request.magic != kMagic) return false;
  AnswerHead head;
  head.list = allowed::kSum;
  head.number = request.number;
  head.way = halves.rights.way;
  head.shut_off = halves.rights.shut_off;
  head.lists_files = halves.lists ? 1 : 0;
  head.log_error = head.files_error = ENODATA;
  static char answer[kMostAnswer];
  std::size_t size = sizeof head;
  Listed listed;
  if (request.list == allowed::kSum) {
    end_after(2 * kMostSeconds);
    if ((request.wants & kOfFiles) == 0 || (request.wants & ~kOfFiles) != 0) {
      if (!look_by_opener(request, halves.opener, head)) return false;
      size += values.write(answer + sizeof head, sizeof answer - sizeof head - kMostFileBytes);
    }
    if ((request.wants & kOfFiles) != 0) {
      if (!listed.ask(halves.lister, request)) return false;
      listed.judge(request, halves.budget, head);
    }
    values.forget();
    ::explicit_bzero(buffer, sizeof buffer);
    end_after(0);
  }
  memcpy(answer, &head, sizeof head);
  const iovec pieces[] = {{answer, size}, listed.files(head)};
  const bool sent = send(connection, pieces, 2, listed.log(), listed.log() == nullptr ? 0 : 1);
  ::explicit_bzero(answer, size);
  return sent;
}

}  // namespace

bool answer_requests(int connection, int opener, int lister) {
  Halves halves{.opener = opener, .lister = lister, .rights = {}, .lists = false, .budget = {}};
  std::uint32_t lists = 0;
  if (receive(opener, &halves.rights, sizeof halves.rights) != sizeof halves.rights || receive(lister, &lists, sizeof lists) != sizeof lists)
    return true;
  halves.lists = lists != 0;
  if (!confine::drop_capabilities() || !allow_reading_only()) return false;
  while (answer_one(connection, halves)) {
  }
  end_now(0);
}

}  // namespace faultline::environ_reader
