// The place of a file's next byte that was ever written: a hole of terabytes takes no time to read past.
#include "core/files/next_data.h"

#include <unistd.h>

#include <cerrno>
#include <limits>

namespace faultline {

off_t next_data(int fd, off_t offset) {
  const off_t data = ::lseek(fd, offset, SEEK_DATA);
  if (data >= 0) return data;
  return errno == ENXIO ? std::numeric_limits<off_t>::max() : offset;
}

}  // namespace faultline
