// How much memory the reader may take before its control group, which is the daemon's, would end one of both.
#pragma once

#include <cstdint>
#include <string>

namespace faultline::reader {

// `most`, or less: what the groups above this process leave, of which a part stays for the daemon. Never less than what the
// program itself needs. Control groups of version 2 alone; where there is none, `most`. `membership` and `groups` are
// /proc/self/cgroup and the mounted hierarchy.
std::uint64_t memory_room(std::uint64_t most, const std::string& membership = "/proc/self/cgroup",
                          const std::string& groups = "/sys/fs/cgroup");

// For an operator's own command: most of what the machine has free.
std::uint64_t memory_to_spare(const std::string& memory = "/proc/meminfo");

}  // namespace faultline::reader
