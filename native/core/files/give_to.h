// Gives what root left in a user's folder to that user, where it can be nothing else.
#pragma once

#include <sys/types.h>

#include <string>

namespace faultline {

// True when `path` was root's and is the user's now: a folder, or a regular file without another name, on a path that only
// root and that user may write, without any link of theirs.
bool give_to(const std::string& path, uid_t user, gid_t group);

}  // namespace faultline
