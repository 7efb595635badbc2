// The place of a file's next byte that was ever written: a hole of terabytes takes no time to read past.
#pragma once

#include <sys/types.h>

namespace faultline {

// The end of everything (the largest off_t) where there is none from `offset` on; `offset` where the file system cannot say.
off_t next_data(int fd, off_t offset);

}  // namespace faultline
