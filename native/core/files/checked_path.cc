// Opens what a path names though others may write its folders: goes step by step, each on the folder that is open already.
#include "core/files/checked_path.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <utility>

namespace faultline {
namespace {

constexpr int kMostLinks = 40;  // as the kernel
constexpr int kLook = O_PATH | O_NOFOLLOW | O_CLOEXEC;
constexpr mode_t kAllRead = S_IRGRP | S_IROTH;
constexpr mode_t kAllEnter = S_IXGRP | S_IXOTH;
constexpr mode_t kAllWrite = S_IWGRP | S_IWOTH;

bool trusted(uid_t user) { return user == 0 || user == ::geteuid(); }

template <typename Id>
void add(std::vector<Id>& to, Id id) {
  if (std::find(to.begin(), to.end(), id) == to.end()) to.push_back(id);
}

bool in_procfs(int fd) {
  struct statfs system {};
  return ::fstatfs(fd, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// Access lists may take from a user what the mode gives to everybody. Through procfs, since what is open only names a file.
bool has_list(int entry) {
  const std::string path = "/proc/self/fd/" + std::to_string(entry);
  return ::getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

std::string number(const char* what, unsigned id) { return std::string(what) + " " + std::to_string(id); }

// `mask`: of the group and of others, for reading or for entering.
bool may(const Placers& placers, const struct stat& status, mode_t mask) {
  if ((status.st_mode & mask) == mask) return true;
  for (const uid_t user : placers.users) {
    if (status.st_uid != user) return false;
  }
  // Of many who may have put it there its owner is one; root puts nothing there for others to name.
  if (!trusted(status.st_uid) && (S_ISDIR(status.st_mode) || status.st_nlink == 1)) return true;
  const bool group_may = (status.st_mode & mask & S_IRWXG) != 0;
  return !placers.anybody && std::all_of(placers.groups.begin(), placers.groups.end(),
                                         [&](gid_t group) { return group_may && status.st_gid == group; });
}

// The same of whoever named the path, whose groups are known.
bool may(const Named& named, const struct stat& status, mode_t mask) {
  if (trusted(named.user) || status.st_uid == named.user) return true;
  const bool member = std::find(named.groups.begin(), named.groups.end(), status.st_gid) != named.groups.end();
  return (status.st_mode & mask & (member ? S_IRWXG : S_IRWXO)) != 0;
}

// The users that a process runs as, by its folder in procfs; whose that folder is does not tell: a process may hide it.
std::vector<uid_t> users_of_process(int folder) {
  std::vector<uid_t> users;
  const int fd = ::openat(folder, "status", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return users;
  std::array<char, 4096> text;
  const ssize_t size = ::read(fd, text.data(), text.size() - 1);
  ::close(fd);
  text[size < 0 ? 0 : static_cast<std::size_t>(size)] = '\0';
  unsigned ids[4];
  const char* line = std::strstr(text.data(), "\nUid:");
  if (line == nullptr || std::sscanf(line, " Uid: %u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) != 4) return users;
  for (const unsigned id : ids) add(users, static_cast<uid_t>(id));
  return users;
}

}  // namespace

std::string Placers::text() const {
  if (anybody) return "everybody";
  std::string text;
  for (const uid_t user : users) text += (text.empty() ? "" : " and ") + number("uid", user);
  for (const gid_t group : groups) text += (text.empty() ? "" : " and ") + number("group", group);
  return text;
}

// Who may have put an entry with this status into the folder; null: any entry but a folder.
Placers placers_of(const CheckedFolder& at, const struct stat* entry) {
  Placers placers = at.placers();
  const struct stat& folder = at.status();
  if (!trusted(folder.st_uid)) add(placers.users, folder.st_uid);
  // In a sticky folder a folder is where its owner put it, or whoever may write into it, who count one step further down.
  if (entry != nullptr && S_ISDIR(entry->st_mode) && (folder.st_mode & S_ISVTX) != 0) return placers;
  if ((folder.st_mode & S_IWGRP) != 0 && folder.st_gid != 0) add(placers.groups, folder.st_gid);
  if ((folder.st_mode & S_IWOTH) != 0) placers.anybody = true;
  return placers;
}

// One way down a path; what it holds at its end is the folder of the last name.
class Walk {
 public:
  explicit Walk(CheckedFolder& at, Refused& refused) : at_(at), refused_(refused) {}

  bool to_folder(const std::string& path) {
    push(path);
    if (!start(path)) return false;
    while (!todo_.empty()) {
      if (step(Purpose::folder) == Found::nothing) return false;
    }
    return true;
  }

  int to_file(const std::string& path, Purpose purpose) {
    push(path);
    if (at_.fd_ < 0 && !start(path)) return -1;
    while (!todo_.empty()) {
      const Found found = step(purpose);
      if (found == Found::nothing) return -1;
      if (found == Found::file) return std::exchange(opened_, -1);
    }
    return fail(Refusal::kind, at_.path_, "is a folder"), -1;
  }

 private:
  enum class Found { nothing, folder, file };

  void push(const std::string& path) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from < path.size();) {
      const std::size_t end = std::min(path.find('/', from), path.size());
      if (end > from && path.compare(from, end - from, ".") != 0) parts.push_back(path.substr(from, end - from));
      from = end + 1;
    }
    todo_.insert(todo_.end(), parts.rbegin(), parts.rend());
  }

  bool start(const std::string& path) {
    const bool whole = !path.empty() && path.front() == '/';
    const int fd = ::open(whole ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return fail_system(whole ? "/" : "."), false;
    return take(fd, whole ? "/" : ".");
  }

  // From here on `fd` is where we stand.
  bool take(int fd, std::string path) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return ::close(fd), fail_system(path), false;
    if (at_.fd_ >= 0) ::close(at_.fd_);
    at_.fd_ = fd;
    at_.status_ = status;
    at_.path_ = std::move(path);
    return true;
  }

  std::string below(const std::string& name) const {
    return at_.path_ == "." ? name : at_.path_ + (at_.path_.ends_with('/') ? "" : "/") + name;
  }

  Found step(Purpose purpose) {
    const std::string name = std::move(todo_.back());
    todo_.pop_back();
    const bool last = todo_.empty();
    const std::string where = below(name);
    const bool procfs = in_procfs(at_.fd_);
    // Links of procfs are none that anybody wrote: those of our own descriptors, and the root of another process.
    const bool own = procfs && last && trusted(at_.status_.st_uid);
    const bool root = procfs && name == "root" && !last;
    if (at_.elsewhere_ && name == "..") return fail(Refusal::link, where, "leads up out of a folder"), Found::nothing;
    const int entry = ::openat(at_.fd_, name.c_str(), own || root ? O_PATH | O_CLOEXEC : kLook);
    if (entry < 0) {
      if (errno == ENOENT && last && purpose == Purpose::write) return made(name, where);
      return fail_system(where), Found::nothing;
    }
    struct stat status {};
    if (::fstat(entry, &status) != 0) return fail_system(where), ::close(entry), Found::nothing;
    if (S_ISLNK(status.st_mode)) return follow(entry, where, purpose);
    Placers placers = placers_of(at_, &status);
    if (root && !as_process(placers)) return ::close(entry), errno = ESRCH, fail_system(where), Found::nothing;
    if (S_ISDIR(status.st_mode)) {
      if (!may(placers, status, kAllEnter)) return close_refused(entry, where, placers);
      if (!may(at_.named_, status, kAllEnter)) return ::close(entry), refuse_named(where, "enter"), Found::nothing;
      at_.placers_ = std::move(placers);
      at_.elsewhere_ = at_.elsewhere_ || root;
      return take(entry, where) ? Found::folder : Found::nothing;
    }
    const bool opened = last ? open_file(entry, status, placers, where, purpose) : (errno = ENOTDIR, fail_system(where), false);
    ::close(entry);
    return opened ? Found::file : Found::nothing;
  }

  // What a process sees under its root it may have put there.
  bool as_process(Placers& placers) const {
    const std::vector<uid_t> users = users_of_process(at_.fd_);
    for (const uid_t user : users) {
      if (!trusted(user)) add(placers.users, user);
    }
    return !users.empty();
  }

  Found follow(int entry, const std::string& where, Purpose purpose) {
    std::array<char, PATH_MAX> target;
    const ssize_t size = ::readlinkat(entry, "", target.data(), target.size());
    ::close(entry);
    if (size <= 0) return fail_system(where), Found::nothing;
    const Placers placers = at_.writers();
    if (purpose == Purpose::ask) return fail(Refusal::link, where, "is a symbolic link"), Found::nothing;
    if (at_.elsewhere_) return fail(Refusal::link, where, "is a symbolic link inside another process's root"), Found::nothing;
    if (!placers.none()) {
      return fail(Refusal::link, where, "is a symbolic link, in a path that " + placers.text() + " may write"), Found::nothing;
    }
    if (++links_ > kMostLinks) return errno = ELOOP, fail_system(where), Found::nothing;
    const std::string path(target.data(), static_cast<std::size_t>(size));
    push(path);
    if (path.front() == '/') return start(path) ? Found::folder : Found::nothing;
    if (todo_.empty()) return errno = ENOENT, fail_system(where), Found::nothing;
    return Found::folder;
  }

  bool open_file(int entry, const struct stat& status, const Placers& placers, const std::string& where, Purpose purpose) {
    int flags = O_RDONLY;
    bool right = S_ISREG(status.st_mode);
    const char* kind = "is not a regular file";
    if (purpose == Purpose::folder) right = false, kind = "is not a folder";
    if (purpose == Purpose::kernel_log) right = right || (S_ISCHR(status.st_mode) && placers.none());
    if (purpose == Purpose::ask) right = S_ISFIFO(status.st_mode), flags = O_WRONLY, kind = "is not a FIFO";
    if (purpose == Purpose::write) right = right || placers.none(), flags = O_WRONLY;
    if (!right) return fail(Refusal::kind, where, kind), false;
    if (purpose == Purpose::write && !placers.none() && (status.st_uid != ::geteuid() || status.st_nlink != 1)) {
      return fail(Refusal::owner, where, "is there, in a path that " + placers.text() + " may write, and belongs to " +
                                             number("uid", status.st_uid)), false;
    }
    const bool reads = purpose == Purpose::read || purpose == Purpose::kernel_log;
    struct stat seen = status;
    if (reads && !(placers.none() && trusted(at_.named_.user)) && has_list(entry)) seen.st_mode &= ~kAllRead;
    if (reads && !may(placers, seen, kAllRead)) return refuse_reader(where, placers, status), false;
    if (reads && !may(at_.named_, seen, kAllRead)) return refuse_named(where, "read"), false;
    if (purpose == Purpose::ask && !may(at_.named_, seen, kAllWrite)) return refuse_named(where, "write"), false;
    // The same file again, whatever its name leads to by now; without procfs it is opened by name and compared.
    const std::string again = "/proc/self/fd/" + std::to_string(entry);
    flags |= O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    int fd = ::open(again.c_str(), flags);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) fd = by_name(where, status, flags);
    if (fd < 0) return fail_system(where), false;
    opened_ = fd;
    return true;
  }

  int by_name(const std::string& where, const struct stat& expected, int flags) {
    const std::string name = where.substr(where.rfind('/') + 1);
    const int fd = ::openat(at_.fd_, name.c_str(), flags | O_NOFOLLOW);
    struct stat status {};
    if (fd < 0 || (::fstat(fd, &status) == 0 && status.st_ino == expected.st_ino && status.st_dev == expected.st_dev)) return fd;
    ::close(fd);
    errno = ESTALE;
    return -1;
  }

  Found made(const std::string& name, const std::string& where) {
    opened_ = ::openat(at_.fd_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
    return opened_ >= 0 ? Found::file : (fail_system(where), Found::nothing);
  }

  Found close_refused(int entry, const std::string& where, const Placers& placers) {
    ::close(entry);
    fail(Refusal::reader, where, "is a folder that " + placers.text() + ", who may have put it there, may not enter");
    return Found::nothing;
  }

  void refuse_named(const std::string& where, const char* what) {
    fail(Refusal::reader, where, "is named by a process of " + number("uid", at_.named_.user) + ", who may not " + what + " it");
  }

  void refuse_reader(const std::string& where, const Placers& placers, const struct stat& status) {
    fail(Refusal::reader, where, "belongs to " + number("uid", status.st_uid) + ", and " + placers.text() +
                                     ", who may have put it there, may not read it");
  }

  void fail_system(const std::string& where) { refused_ = {Refusal::system, errno, where, where + ": " + std::strerror(errno)}; }
  void fail(Refusal why, const std::string& where, const std::string& text) { refused_ = {why, 0, where, where + " " + text}; }

  CheckedFolder& at_;
  Refused& refused_;
  std::vector<std::string> todo_;  // the next one last
  int links_ = 0;
  int opened_ = -1;
};

Placers CheckedFolder::writers() const { return placers_of(*this, nullptr); }

CheckedFolder::~CheckedFolder() {
  if (fd_ >= 0) ::close(fd_);
}

CheckedFolder::CheckedFolder(CheckedFolder&& other) noexcept { *this = std::move(other); }

CheckedFolder& CheckedFolder::operator=(CheckedFolder&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(status_, other.status_);
  std::swap(placers_, other.placers_);
  std::swap(named_, other.named_);
  std::swap(elsewhere_, other.elsewhere_);
  std::swap(path_, other.path_);
  return *this;
}

bool CheckedFolder::enter(const std::string& path, Refused& refused, const Named& named) {
  *this = CheckedFolder();
  named_ = named;
  return Walk(*this, refused).to_folder(path);
}

int CheckedFolder::open(const std::string& name, Purpose purpose, Refused& refused) const {
  CheckedFolder copy;
  copy.fd_ = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (copy.fd_ < 0) {
    refused = {Refusal::system, errno, path_, path_ + ": " + std::strerror(errno)};
    return -1;
  }
  copy.status_ = status_;
  copy.placers_ = placers_;
  copy.named_ = named_;
  copy.elsewhere_ = elsewhere_;
  copy.path_ = path_;
  return Walk(copy, refused).to_file(name, purpose);
}

int open_checked(const std::string& path, Purpose purpose, Refused& refused, const Named& named) {
  CheckedFolder at;
  at.named_ = named;
  return Walk(at, refused).to_file(path, purpose);
}

}  // namespace faultline
