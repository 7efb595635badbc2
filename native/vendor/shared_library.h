// Finds and opens a vendor's library, without which nothing is linked to.
#pragma once

#include <span>
#include <string>

#include "vendor/backend.h"

namespace faultline {

struct SharedLibrary {
  LoadResult result = LoadResult::kAbsent;
  void* handle = nullptr;
  std::string path;  // that was opened
  std::string why;   // it was not
};

// Tries `library` (a path, or a soname and then that name in `folders`).
SharedLibrary open_library(const std::string& library, std::span<const char* const> folders, CallContext& calls);

}  // namespace faultline
