// Reads, and cannot open: it holds no capability, and has no call but reading, sending and receiving.
#include "environ/answerer.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/confine/rights.h"
#include "core/processes/environ_answer.h"
#include "core/processes/process_files.h"
#include "environ/confine.h"
#include "environ/ending.h"
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

// One message, with descriptors where `fds` is given; false when there are no more, or it has another size.
bool receive(int from, void* into, std::size_t size, int* fds = nullptr, std::size_t* count = nullptr) {
  iovec part{into, size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kOpenedFiles)]{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (fds != nullptr) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != static_cast<ssize_t>(size) || (message.msg_flags & MSG_TRUNC) != 0) return false;
  const cmsghdr* const header = fds == nullptr ? nullptr : CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    *count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(fds, CMSG_DATA(header), *count * sizeof(int));
  }
  return true;
}

bool send(int to, const void* bytes, std::size_t size) {
  iovec part{const_cast<void*>(bytes), size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  return sendmsg(to, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
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

bool answer_one(int connection, int opener, const OpenerRights& rights) {
  Request request;
  if (!receive(connection, &request, sizeof request) || request.magic != kMagic) return false;
  AnswerHead head;
  head.list = allowed::kSum;
  head.number = request.number;
  head.way = rights.way;
  head.shut_off = rights.shut_off;
  static char answer[kMostAnswer];
  std::size_t size = sizeof head;
  if (request.list == allowed::kSum) {
    end_after(2 * kMostSeconds);
    const std::uint32_t asked[] = {request.pid, request.wants};
    Opening opening;
    int arrived[kOpenedFiles];
    std::size_t count = 0;
    if (!send(opener, asked, sizeof asked) || !receive(opener, &opening, sizeof opening, arrived, &count)) return false;
    int fds[kOpenedFiles];
    for (std::size_t each = 0, at = 0; each < kOpenedFiles; ++each)
      fds[each] = opening.errors[each] == 0 && at < count ? arrived[at++] : -1;
    look(request, opening, fds, head);
    for (std::size_t each = 0; each < count; ++each) close(arrived[each]);
    size += values.write(answer + sizeof head, sizeof answer - sizeof head);
    values.forget();
    ::explicit_bzero(buffer, sizeof buffer);
    end_after(0);
  }
  memcpy(answer, &head, sizeof head);
  const bool sent = send(connection, answer, size);
  ::explicit_bzero(answer, size);
  return sent;
}

}  // namespace

bool answer_requests(int connection, int opener) {
  OpenerRights rights;
  if (!receive(opener, &rights, sizeof rights)) return true;
  if (!confine::drop_capabilities() || !allow_reading_only()) return false;
  while (answer_one(connection, opener, rights)) {
  }
  end_now(0);
}

}  // namespace faultline::environ_reader
