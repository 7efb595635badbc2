// Says which files a process has open, and opens what it prints into: it has no call that reads, seeks or maps.
#include "environ/lister.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "core/processes/open_file.h"
#include "core/processes/printed_log.h"
#include "environ/confine.h"
#include "environ/ending.h"
#include "environ/message.h"

namespace faultline::environ_reader {
namespace {

// Of the descriptors of a process, which rise, as many as are in this many bytes: some six hundred.
alignas(8) char names[16 * 1024];
char files[kMostFileBytes];
char target[kMostValue + 1];

// linux_dirent64 of getdents64(2).
struct Entry {
  std::uint64_t inode;
  std::int64_t offset;
  std::uint16_t size;
  std::uint8_t type;
  char name[1];
};

struct Handed {
  int fds[kMostSent];
  std::size_t count = 0;

  bool add(int fd) {
    if (fd >= 0) fds[count++] = fd;
    return fd >= 0;
  }
};

bool writes(int descriptors, const char* name) {
  struct stat link {};
  return ::fstatat(descriptors, name, &link, AT_SYMLINK_NOFOLLOW) == 0 && (link.st_mode & S_IWUSR) != 0;
}

// errno. What the process has open is named, and neither opened nor asked: a dead file system holds up nothing.
int list(int folder, int descriptors, Listing& listing, Handed& handed) {
  const int infos = ::openat(folder, "fdinfo", kOpenFlags);
  const long size = ::syscall(SYS_getdents64, descriptors, names, sizeof names);
  int error = size < 0 ? errno : 0;
  for (long at = 0; at < size;) {
    const auto* const entry = reinterpret_cast<const Entry*>(names + at);
    at += entry->size;
    const char* const name = entry->name;
    if (name[0] == '.') continue;
    const ssize_t length = ::readlinkat(descriptors, name, target, sizeof target);
    if (length < 0 && (errno == EACCES || errno == EPERM)) error = errno;
    if (length <= 0 || static_cast<std::size_t>(length) > kMostValue) continue;
    const std::string_view text(target, static_cast<std::size_t>(length));
    FileHead head;
    head.is = kind_of_file(name, text, writes(descriptors, name));
    const bool written = (head.is & kWritten) != 0;
    if (head.is == 0 || (written && listing.infos >= kMostFiles)) continue;
    const int info = written && infos >= 0 ? ::openat(infos, name, kOpenFlags) : -1;
    const std::size_t took = written && info < 0 ? 0 : write_file(files + listing.bytes, sizeof files - listing.bytes, head, text);
    listing.bytes += static_cast<std::uint32_t>(took);
    if (took == 0 && info >= 0) ::close(info);
    else if (handed.add(info)) ++listing.infos;
  }
  if (infos >= 0) ::close(infos);
  return error;
}

void answer(int channel, const ListingRequest& request) {
  char path[32] = "/proc/";
  *std::to_chars(path + 6, path + 20, request.pid).ptr = '\0';
  Listing listing;
  Handed handed;
  const int folder = ::openat(AT_FDCWD, path, kOpenFlags);
  int error = errno;
  listing.has_stat = folder >= 0 && handed.add(::openat(folder, "stat", kOpenFlags)) ? 1 : 0;
  const int descriptors = folder < 0 ? -1 : ::openat(folder, "fd", kOpenFlags);
  if (folder >= 0 && descriptors < 0) error = errno;
  listing.error = listing.log_error = ENODATA;
  if ((request.wants & kWantsFiles) != 0) listing.error = descriptors < 0 ? error : list(folder, descriptors, listing, handed);
  if ((request.wants & kWantsLog) != 0) {
    const int log = descriptors < 0 ? -error : open_printed_log(descriptors, request.inode);
    const int status = log < 0 ? -1 : ::openat(folder, "status", kOpenFlags);
    listing.log_error = log < 0 ? -log : status < 0 ? errno : 0;
    if (status >= 0) listing.has_log = handed.add(status) && handed.add(log) ? 1 : 0;
    else if (log >= 0) ::close(log);
  }
  listing.has_stat_after = folder >= 0 && handed.add(::openat(folder, "stat", kOpenFlags)) ? 1 : 0;
  const iovec pieces[] = {{&listing, sizeof listing}, {files, listing.bytes}};
  if (!send(channel, pieces, 2, handed.fds, handed.count)) end_now(0);
  for (std::size_t each = 0; each < handed.count; ++each) ::close(handed.fds[each]);
  for (const int fd : {descriptors, folder})
    if (fd >= 0) ::close(fd);
}

}  // namespace

void serve_listings(int channel, pid_t other) {
  const std::uint32_t able = settle_listing_rights(other) ? 1 : 0;
  if (!allow_listing_only()) end_now(71);
  if (!send(channel, &able, sizeof able)) end_now(0);
  for (;;) {
    ListingRequest request;
    if (receive(channel, &request, sizeof request) != sizeof request) end_now(0);
    end_after(kMostSeconds);
    answer(channel, request);
    end_after(0);
  }
}

}  // namespace faultline::environ_reader
