// What start-up took and running does not need, given back to the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace faultline {

// One heap of glibc's for all threads that have none yet, and large buffers outside it, so that they go back to the kernel
// when they are freed; other C libraries are left as they are.
void keep_malloc_small();

// Gives back the pages of malloc's heap that nothing lies on, also those between what is in use: glibc does so by itself at its end alone,
// and one small block there keeps all below it.
void give_back_heap();

// The same, and takes the pages of programs, libraries and mapped texts that were only read out of this process: they stay in
// the page cache, and those that are used again are mapped again. Bytes of address space that were let go of.
std::size_t give_back_memory();

struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// The mappings of a file that nothing of the process's own can be lost from, out of the text of /proc/PID/smaps: private,
// not writable, and without a page that was copied (a relocated text, one that a debugger wrote into, or huge pages that
// Node put in its place). Where the kernel does not say, none.
std::vector<AddressRange> only_read_mappings(std::string_view smaps);

}  // namespace faultline
