// How much memory the reader may take before its control group would end it.
#include "flight_recorder/program/memory_room.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace faultline::reader {
namespace {

// For what the daemon itself takes meanwhile.
constexpr std::uint64_t LEFT_TO_DAEMON = std::uint64_t{16} << 20;
// The program with its libraries, and a few small dumps.
constexpr std::uint64_t LEAST = std::uint64_t{48} << 20;
// To spare on a machine that does not say what it has free.
constexpr std::uint64_t NOT_KNOWN = std::uint64_t{4} << 30;

// False for "max" and for what is not there.
bool number_in(const std::string& path, std::uint64_t& number) {
  std::ifstream file(path);
  return static_cast<bool>(file >> number);
}

// Pages of files, which the kernel takes back before it ends a process.
std::uint64_t files_in(const std::string& group) {
  std::ifstream stat(group + "/memory.stat");
  std::string name;
  for (std::uint64_t bytes = 0; stat >> name >> bytes;) {
    if (name == "file") return bytes;
  }
  return 0;
}

// Of version 2: "0::/system.slice/faultline.service".
std::string own_group(const std::string& membership) {
  std::ifstream file(membership);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::/", 0) == 0) return line.substr(3);
  }
  return "";
}

}  // namespace

std::uint64_t memory_room(std::uint64_t most, const std::string& membership, const std::string& groups) {
  std::string group = own_group(membership);
  while (group.size() > 1) {
    const std::string folder = groups + group;
    std::uint64_t limit = 0, used = 0;
    // From memory.high on the kernel slows whoever takes more down until nothing moves.
    for (const char* name : {"/memory.max", "/memory.high"}) {
      if (!number_in(folder + name, limit) || !number_in(folder + "/memory.current", used)) continue;
      used -= std::min(used, files_in(folder));
      const std::uint64_t left = limit - std::min(limit, used);
      most = std::min(most, left - std::min(left, LEFT_TO_DAEMON));
    }
    group.resize(group.rfind('/'));
  }
  return std::max(most, LEAST);
}

std::uint64_t memory_to_spare(const std::string& memory) {
  std::ifstream file(memory);
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view NAME = "MemAvailable:";
    if (line.starts_with(NAME)) return std::strtoull(line.c_str() + NAME.size(), nullptr, 10) * 1024 / 4 * 3;
  }
  return NOT_KNOWN;
}

}  // namespace faultline::reader
