// Looks at a library's file before it is loaded: one that is cut short would end the process with SIGBUS.
#pragma once

#include <string>

namespace faultline {

// Why the file at `path` cannot be this host's library, in words; empty when nothing speaks against it.
std::string library_fault(const std::string& path);

}  // namespace faultline
