// Becomes another user for good: groups and ids first, then the two rights of the service, then the program once more.
#include "core/act_as.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace faultline {
namespace {

// As in systemd/faultline.service, which hands the kernel log over instead of giving the right to open it.
constexpr int kRights[] = {CAP_SYSLOG, CAP_DAC_READ_SEARCH};
constexpr int kExitHalfway = 70;
constexpr int kMostGroups = 1024;

std::vector<char*> pointers(const std::vector<std::string>& texts, const std::string* first) {
  std::vector<char*> list;
  if (first != nullptr) list.push_back(const_cast<char*>(first->c_str()));
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

std::vector<gid_t> groups_of(const ActAs& wanted) {
  std::vector<gid_t> groups{wanted.group};
  const passwd* entry = ::getpwuid(wanted.user);
  if (entry == nullptr) return groups;
  int count = kMostGroups;
  groups.resize(kMostGroups);
  if (::getgrouplist(entry->pw_name, wanted.group, groups.data(), &count) < 0) count = 1;
  groups[0] = count == 1 ? wanted.group : groups[0];
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

// Those of the two that this process may have; a container often has neither.
bool keep_rights() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[2]{};
  if (::syscall(SYS_capget, &header, held) != 0) return false;
  __user_cap_data_struct kept[2]{};
  for (const int right : kRights) {
    const std::uint32_t bit = 1U << (right % 32);
    auto& into = kept[right / 32];
    if ((held[right / 32].permitted & bit) == 0) continue;
    into.permitted |= bit;
    into.effective |= bit;
    into.inheritable |= bit;
  }
  if (::syscall(SYS_capset, &header, kept) != 0) return false;
  for (const int right : kRights) ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, right, 0, 0);
  return true;
}

}  // namespace

int act_as(const ActAs& wanted) {
  if (wanted.user == 0) return EINVAL;
  const std::vector<char*> arguments = pointers(wanted.arguments, &wanted.program);
  const std::vector<char*> environment = pointers(wanted.environment, nullptr);
  if (::access(wanted.program.c_str(), X_OK) != 0) return errno;
  // Node lets no program of its have these: they are this process's own.
  for (const int fd : {0, 1, 2}) ::fcntl(fd, F_SETFD, 0);
  if (wanted.kept >= 0 && ::fcntl(wanted.kept, F_SETFD, 0) != 0) return errno;
  const std::vector<gid_t> groups = groups_of(wanted);
  // By the kernel's own calls, which are for this thread alone: the C library would first wait for every other one, and the
  // new program has this one's.
  if (::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || ::syscall(SYS_setgroups, groups.size(), groups.data()) != 0) return errno;
  if (::syscall(SYS_setresgid, wanted.group, wanted.group, wanted.group) != 0) ::_exit(kExitHalfway);
  if (::syscall(SYS_setresuid, wanted.user, wanted.user, wanted.user) != 0) ::_exit(kExitHalfway);
  if (!keep_rights() || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) ::_exit(kExitHalfway);
  ::execve(wanted.program.c_str(), arguments.data(), environment.data());
  ::_exit(kExitHalfway);
}

}  // namespace faultline
