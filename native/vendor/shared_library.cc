// Looks at each candidate's file before the loader does.
#include "vendor/shared_library.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <utility>
#include <vector>

#include "vendor/library_file.h"

namespace faultline {
namespace {

bool is_path(const std::string& name) { return name.find('/') != std::string::npos; }

std::vector<std::string> candidates(const std::string& library, std::span<const char* const> folders) {
  std::vector<std::string> paths{library};
  if (is_path(library)) return paths;
  for (const char* folder : folders) paths.push_back(std::string(folder) + "/" + library);
  return paths;
}

bool exists(const std::string& path) {
  struct stat status {};
  return is_path(path) && stat(path.c_str(), &status) == 0;
}

}  // namespace

SharedLibrary open_library(const std::string& library, std::span<const char* const> folders, CallContext& calls) {
  SharedLibrary found;
  for (const std::string& path : candidates(library, folders)) {
    if (path != library && !exists(path)) continue;
    if (is_path(path)) {
      if (std::string fault = library_fault(path); !fault.empty()) {
        found.result = LoadResult::kFailed;
        found.why = std::move(fault);
        continue;
      }
    }
    calls.enter(VendorCall::kDlopen, kNoDevice);
    void* const handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    const char* const error = handle == nullptr ? dlerror() : nullptr;
    calls.leave();
    if (handle != nullptr) return {LoadResult::kLoaded, handle, path, {}};
    // The loader's text is the only thing that tells "not there" from "there and unusable" for a bare soname.
    const std::string text = error != nullptr ? error : "unknown loader error";
    const bool absent = is_path(path) ? !exists(path) : text.find("No such file") != std::string::npos;
    if (absent) continue;
    found.result = LoadResult::kFailed;
    found.why = text;
  }
  if (found.result == LoadResult::kAbsent) found.why = "library not found: " + library;
  return found;
}

}  // namespace faultline
