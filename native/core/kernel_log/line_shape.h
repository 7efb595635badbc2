// What a kernel line is apart from what changes from line to line: lines of one shape are counted together in a storm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace faultline {

struct LineShape {
  // Who opens the line: a user by the name of a process, the GPU driver with an XID, another driver or subsystem whose messages
  // tell of faults, or any other.
  enum class Speaker { user, xid, driver, other };
  static constexpr std::size_t kSpeakers = 4;
  Speaker speaker = Speaker::other;
  std::uint64_t key = 0;
};

// Linear in the text, of which no more than the first bytes are looked at. Names of processes and files are no part of a
// user's or a task's shape, so that no user makes shapes at will; of an XID it is the GPU, the number and the link.
LineShape line_shape(std::string_view text);

}  // namespace faultline
