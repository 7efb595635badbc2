// The names in a folder that begin alike, without a word of all the others: /tmp of a busy host has thousands.
#include "core/files/names_with.h"

#include <dirent.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace faultline {

NamesWith names_with(const std::string& folder, const std::string& prefix, std::size_t most, std::size_t most_seen) {
  NamesWith found;
  if (folder.find('\0') != std::string::npos) {
    found.error = EINVAL;  // the system would list the folder that the path before it names
    return found;
  }
  const auto closed = [](DIR* open) { ::closedir(open); };
  const std::unique_ptr<DIR, decltype(closed)> open(::opendir(folder.c_str()), closed);
  if (open == nullptr) {
    found.error = errno;
    return found;
  }
  for (std::size_t seen = 0; seen < most_seen;) {
    errno = 0;  // readdir says by it alone whether it ended or failed
    const dirent* entry = ::readdir(open.get());
    if (entry == nullptr) {
      found.error = errno;
      return found;
    }
    const char* name = entry->d_name;
    if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
    seen += 1;
    if (std::strncmp(name, prefix.c_str(), prefix.size()) != 0) continue;
    if (found.names.size() >= most) {
      found.more = true;
      return found;
    }
    found.names.emplace_back(name);
  }
  return found;
}

}  // namespace faultline
