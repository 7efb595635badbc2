// What a process prints into, opened for reading by its own descriptor and never by a path: only a regular file that the process
// has open for writing as its standard output or error, and that its user may read.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string_view>

namespace faultline {

// `descriptors`: the open folder /proc/<pid>/fd. `inode`: of the file that is meant, 0: whichever it is. A descriptor, or -errno:
// ENOENT where the process prints into no such file. Asks for no memory.
int open_printed_log(int descriptors, std::uint64_t inode);

// Whether a descriptor is such a file, of a file system that is not the kernel's own.
bool is_log_file(int fd, std::uint64_t inode);

// Of /proc/<pid>/status: whether its user could open the file for reading: a program that runs by the rights of several users, or
// prints into what its user may write and not read, hands nothing over. By owner and mode alone.
bool may_read_log(std::string_view status, const struct stat& file);

}  // namespace faultline
