// Opens, and cannot read: of a file it has no call that reads, seeks or maps, and it may open for reading only.
#include "environ/opener.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "core/processes/environ_protocol.h"
#include "environ/ending.h"
#include "environ/message.h"

namespace faultline::environ_reader {
namespace {

void open_files(int channel, std::uint32_t pid, std::uint32_t wants) {
  char path[32] = "/proc/";
  *std::to_chars(path + 6, path + 20, pid).ptr = '\0';
  Opening opening;
  int fds[kOpenedFiles];
  std::size_t count = 0;
  // The folder is of one process: under its number another one may live by then, and it has none of these files.
  const int folder = openat(AT_FDCWD, path, kOpenFlags);
  const int error = errno;
  constexpr const char* kNames[] = {"stat", "environ", "maps", "stat"};
  const bool asked[] = {true, (wants & kWantsVariables) != 0, (wants & kWantsLibraries) != 0, true};
  for (std::size_t each = 0; each < kOpenedFiles; ++each) {
    if (!asked[each]) opening.errors[each] = ENODATA;
    else if (folder < 0) opening.errors[each] = error;
    else if (const int fd = openat(folder, kNames[each], kOpenFlags); fd >= 0) fds[count++] = fd;
    else opening.errors[each] = errno;
  }
  if (!send(channel, &opening, sizeof opening, fds, count)) end_now(0);
  for (std::size_t each = 0; each < count; ++each) close(fds[each]);
  if (folder >= 0) close(folder);
}

}  // namespace

void serve_openings(int channel, pid_t other) {
  const OpenerRights rights = settle_rights(other);
  if (!allow_opening_only()) end_now(71);
  if (!send(channel, &rights, sizeof rights)) end_now(0);
  for (;;) {
    std::uint32_t asked[2]{};
    if (receive(channel, asked, sizeof asked) != sizeof asked) end_now(0);
    end_after(kMostSeconds);
    open_files(channel, asked[0], asked[1]);
    end_after(0);
  }
}

}  // namespace faultline::environ_reader
