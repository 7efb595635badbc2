// What a process prints into, opened for reading by its own descriptor.
#include "core/processes/printed_log.h"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>

namespace faultline {
namespace {

// Of the kernel itself (linux/magic.h): to read a file of theirs is to ask the kernel, or a device.
constexpr std::uint32_t kKernelFileSystems[] = {
    0x9fa0,      // proc
    0x62656572,  // sysfs
    0x64626720,  // debugfs
    0x74726163,  // tracefs
    0x73636673,  // securityfs
    0x27e0eb,    // cgroup
    0x63677270,  // cgroup2
    0xf97cff8c,  // selinuxfs
    0x43415d53,  // smackfs
    0x5a3c69f0,  // apparmorfs
    0x6165676c,  // pstore
    0xde5e81e4,  // efivarfs
    0xcafe4a11,  // bpf
    0x62656570,  // configfs
    0x42494e4d,  // binfmt_misc
    0x6e736673,  // nsfs
    0x1cd1,      // devpts
    0x19800202,  // mqueue
    0x958458f6,  // hugetlbfs
    0x67596969,  // rpc_pipefs
    0x6e667364,  // nfsd
    0x7655821,   // resctrl
    0x65735543,  // fusectl
    0x5345434d,  // secretmem
    0x9041934,   // anonymous inodes
    0x50495045,  // pipes
    0x534f434b,  // sockets
};

// Its user by all four numbers; false where they differ.
bool one_user(std::string_view status, uid_t& user) {
  const std::size_t at = status.find("\nUid:\t");
  if (at == std::string_view::npos) return false;
  status.remove_prefix(at + 6);
  for (int which = 0; which < 4; ++which) {
    uid_t id = 0;
    const auto [end, error] = std::from_chars(status.data(), status.data() + status.size(), id);
    if (error != std::errc() || (which > 0 && id != user)) return false;
    user = id;
    status.remove_prefix(std::min(static_cast<std::size_t>(end - status.data()) + 1, status.size()));
  }
  return true;
}

int open_one(int descriptors, const char* name, std::uint64_t inode) {
  struct stat link {};
  // The mode of such a link says what the file is open for (proc(5)).
  if (::fstatat(descriptors, name, &link, AT_SYMLINK_NOFOLLOW) != 0) return -errno;
  if (!S_ISLNK(link.st_mode) || (link.st_mode & S_IWUSR) == 0) return -ENOENT;
  // Named first, which opens no device and waits for nothing; then the same file again, whatever the process has there by now.
  const int named = ::openat(descriptors, name, O_PATH | O_CLOEXEC);
  if (named < 0) return -errno;
  int fd = -ENOENT;
  if (is_log_file(named, inode)) {
    char path[32] = "/proc/self/fd/";
    *std::to_chars(path + std::strlen(path), path + sizeof path - 1, named).ptr = '\0';
    fd = ::openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) fd = -errno;
  }
  ::close(named);
  return fd;
}

}  // namespace

int open_printed_log(int descriptors, std::uint64_t inode) {
  const int fd = open_one(descriptors, "1", inode);
  return fd >= 0 ? fd : open_one(descriptors, "2", inode);
}

bool is_log_file(int fd, std::uint64_t inode) {
  struct stat file {};
  struct statfs system {};
  return ::fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && (inode == 0 || file.st_ino == inode) && ::fstatfs(fd, &system) == 0 &&
         std::ranges::find(kKernelFileSystems, static_cast<std::uint32_t>(system.f_type)) == std::end(kKernelFileSystems);
}

bool may_read_log(std::string_view status, const struct stat& file) {
  uid_t user = 0;
  return one_user(status, user) && (file.st_uid == user || (file.st_mode & S_IROTH) != 0);
}

}  // namespace faultline
