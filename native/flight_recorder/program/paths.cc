// The paths that a caller gives on standard input, each ended by a zero byte.
#include "flight_recorder/program/paths.h"

#include <unistd.h>

#include <cstddef>

namespace faultline::reader {
namespace {

constexpr std::size_t MAX_PATH_BYTES = std::size_t{32} << 20;

}  // namespace

std::vector<std::string> paths_given() {
  std::vector<std::string> paths;
  std::string path;
  std::size_t total = 0;
  char buffer[65536];
  for (ssize_t got = 0; (got = ::read(0, buffer, sizeof buffer)) > 0 && (total += static_cast<std::size_t>(got)) <= MAX_PATH_BYTES;) {
    for (ssize_t i = 0; i < got; ++i) {
      if (buffer[i] != '\0') {
        path.push_back(buffer[i]);
        continue;
      }
      paths.push_back(std::move(path));
      path.clear();
    }
  }
  return paths;
}

}  // namespace faultline::reader
