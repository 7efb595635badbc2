// Watches the parser while it is fed: writes its progress, and ends it where it works too long on one file.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "flight_recorder/program/parser.h"

namespace faultline::reader {

// One at a time: it works by the process's interval timer, so that a stop of the whole process group is not taken for a hang.
class Watch {
 public:
  // `before`: items that are sent before the first file.
  Watch(pid_t parser, const Seen& seen, std::size_t files, std::size_t before, unsigned file_seconds);
  ~Watch() { end(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // From here on the parser is left alone. Whether it was ended because of one file.
  bool end();
};

}  // namespace faultline::reader
