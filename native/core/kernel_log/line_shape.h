// What a kernel line is apart from what changes from line to line: lines of one shape are counted together in a storm.
#pragma once

#include <cstdint>
#include <string_view>

namespace faultline {

struct LineShape {
  // Who opens the line: a user by the name of a process, a driver or subsystem whose messages tell of faults, or any other.
  enum class Speaker { user, driver, other };
  Speaker speaker = Speaker::other;
  std::uint64_t key = 0;
};

// Linear in the text, of which no more than the first bytes are looked at. Names of processes and files are no part of a
// user's or a task's shape, so that nobody makes shapes at will; the device, the XID and the link are part of a driver's.
LineShape line_shape(std::string_view text);

}  // namespace faultline
