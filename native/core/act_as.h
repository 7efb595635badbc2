// Becomes another user for good, as the service manager would start its service: with two rights and no way to more.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace faultline {

struct ActAs {
  uid_t user = 0;
  gid_t group = 0;
  std::string program;
  std::vector<std::string> arguments;    // without the program's name
  std::vector<std::string> environment;  // NAME=value
  int kept = -1;                         // a descriptor that stays open; -1: none but standard ones
};

// Replaces this process; to be called by its first thread. Comes back only where it stays who it was, with errno; a process
// that could become the other user but not start the program is ended with status 70.
int act_as(const ActAs& wanted);

}  // namespace faultline
