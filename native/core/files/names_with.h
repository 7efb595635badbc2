// The names in a folder that begin alike, without a word of all the others: /tmp of a busy host has thousands.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace faultline {

struct NamesWith {
  std::vector<std::string> names;
  // More than were asked for begin so: `names` has some of them.
  bool more = false;
  // Of the system; 0 where the folder was read.
  int error = 0;
};

// Of at most `most_seen` entries those that begin with `prefix`, in the folder's own order, neither "." nor "..".
NamesWith names_with(const std::string& folder, const std::string& prefix, std::size_t most, std::size_t most_seen);

}  // namespace faultline
