// Opens what a path names though others may write its folders: no link of theirs is followed, and nothing is opened that they
// could not read themselves. All checks are made on what is open already, so that nothing can change in between.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <string>
#include <vector>

namespace faultline {

enum class Purpose {
  read,        // a regular file
  kernel_log,  // a regular file; or a character device, where only root and we may write the folders
  folder,      // a folder, only to open what is beneath it
  ask,         // a FIFO that another process reads
  write,       // a new file; or a regular file of our own, which the caller may shorten
};

// Why something was not opened. `system`: `error` says it; the others are ours.
enum class Refusal { none, system, link, reader, kind, owner };

struct Refused {
  Refusal why = Refusal::none;
  int error = 0;
  std::string where;   // the path, down to the part that is at fault
  std::string reason;  // "/a/b is a symbolic link …"
};

// Who, besides root and ourselves, may have put names of a path where they are.
struct Placers {
  std::vector<uid_t> users;
  std::vector<gid_t> groups;
  bool anybody = false;

  bool none() const { return users.empty() && groups.empty() && !anybody; }
  std::string text() const;
};

// A process that named the path, as by its environment: it must be able to go and read there itself. Root may.
struct Named {
  uid_t user = 0;
  std::vector<gid_t> groups;
};

class CheckedFolder {
 public:
  CheckedFolder() = default;
  ~CheckedFolder();
  CheckedFolder(CheckedFolder&& other) noexcept;
  CheckedFolder& operator=(CheckedFolder&& other) noexcept;

  // Goes to the folder step by step. False with `refused` filled where it may not, or there is none.
  bool enter(const std::string& path, Refused& refused, const Named& named = {});
  // Opens `name` in it; -1 with `refused` filled.
  int open(const std::string& name, Purpose purpose, Refused& refused) const;

  int fd() const { return fd_; }
  const struct stat& status() const { return status_; }
  // Of the folder itself: whoever may write into it is not among them.
  const Placers& placers() const { return placers_; }
  // With whoever may write into it.
  Placers writers() const;
  const std::string& path() const { return path_; }

 private:
  friend class Walk;
  friend int open_checked(const std::string& path, Purpose purpose, Refused& refused, const Named& named);

  int fd_ = -1;
  struct stat status_ {};
  Placers placers_;
  Named named_;
  bool elsewhere_ = false;  // under another process's root, where links count from there
  std::string path_;
};

// A descriptor, not blocking and closed on exec; -1 with `refused` filled.
int open_checked(const std::string& path, Purpose purpose, Refused& refused, const Named& named = {});

}  // namespace faultline
