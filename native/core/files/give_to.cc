// Gives what root left in a user's folder to that user; checked and given by the descriptor, whatever the name leads to by then.
#include "core/files/give_to.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/checked_path.h"

namespace faultline {

bool give_to(const std::string& path, uid_t user, gid_t group) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || user == 0) return false;
  CheckedFolder folder;
  Refused refused;
  if (!folder.enter(path.substr(0, slash + 1), refused)) return false;
  const Placers writers = folder.writers();
  if (writers.anybody || writers.users.size() != 1 || writers.users.front() != user) return false;
  const int fd = ::openat(folder.fd(), path.c_str() + slash + 1, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat status {};
  const bool ours = ::fstat(fd, &status) == 0 && status.st_uid == 0;
  const bool alone = S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && status.st_nlink == 1);
  const bool given = ours && alone && ::fchownat(fd, "", user, group, AT_EMPTY_PATH) == 0;
  ::close(fd);
  return given;
}

}  // namespace faultline
