// The paths that a caller gives on standard input, each ended by a zero byte.
#pragma once

#include <string>
#include <vector>

namespace faultline::reader {

std::vector<std::string> paths_given();

}  // namespace faultline::reader
