// Whom the child of a daemon that is root can be instead: its own user, where that one still reaches the GPUs.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace faultline {

struct OwnUser {
  uid_t user = 0;
  gid_t group = 0;
  // Why the child stays root, in words; empty where it need not.
  std::string why_not;
};

// "faultline-vendor" where /etc/passwd has it, else `nobody`; its group is that of the device files where only a group may
// open them. `files`: what it must be able to read.
OwnUser find_own_user(const std::vector<std::string>& devices, const std::vector<std::string>& files);

}  // namespace faultline
