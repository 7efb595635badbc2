// Finds, opens and looks up NVML, and sorts its return codes.
#include "vendor/nvml/library.h"

#include <dlfcn.h>

#include <array>
#include <initializer_list>

#include "vendor/shared_library.h"

namespace faultline::nvml {
namespace {

// Distribution paths, the GPU operator's driver root, WSL.
constexpr std::array<const char*, 6> kFolders{
    "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
    "/run/nvidia/driver/usr/lib/x86_64-linux-gnu", "/run/nvidia/driver/usr/lib64", "/usr/lib/wsl/lib",
};

template <class Function>
void look_up(void* handle, Function& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (function != nullptr) return;
  }
}

}  // namespace

std::string Library::describe(Return code) const {
  const char* text = error_string != nullptr ? error_string(code) : nullptr;
  return (text != nullptr ? std::string(text) : std::string("NVML error")) + " (" + std::to_string(code) + ")";
}

LoadResult load(const std::string& library, CallContext& calls, Library& nvml, std::string& why) {
  const SharedLibrary opened = open_library(library, kFolders, calls);
  why = opened.why;
  if (opened.result != LoadResult::kLoaded) return opened.result;
  look_up(opened.handle, nvml.error_string, {"nvmlErrorString"});
#define NVML_CALL(id, member, kind, parameters, ...) look_up(opened.handle, nvml.member, {__VA_ARGS__});
#include "vendor/nvml/calls.def"
  if (nvml.init != nullptr && nvml.count != nullptr && nvml.handle_by_index != nullptr) return LoadResult::kLoaded;
  why = opened.path + " is not NVML: nvmlInit_v2 or the calls that list devices are not in it";
  return LoadResult::kFailed;
}

Outcome outcome_of(Return code) {
  switch (code) {
    case kSuccess:
      return Outcome::kOk;
    case kNotSupported:
    case kFunctionNotFound:
    case kDeprecated:
    case kInvalidArgument:  // also the answer to a field id that the driver is too old for
    case kArgumentVersionMismatch:
      return Outcome::kUnsupported;
    case kGpuIsLost:
    case kResetRequired:
    case kGpuNotFound:
      return Outcome::kDeviceDead;
    case kUninitialized:
    case kDriverNotLoaded:
    case kLibRmVersionMismatch:
      return Outcome::kLibraryDead;
    case kUnknown:
      return Outcome::kUnknown;
    case kTimeout:
      return Outcome::kTimeout;
    default:
      return Outcome::kTransient;
  }
}

}  // namespace faultline::nvml
