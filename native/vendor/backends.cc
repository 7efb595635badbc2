// Which vendor a library is of.
#include "vendor/backend.h"

namespace faultline {

#define BACKEND(vendor)            \
  namespace vendor {               \
  extern const BackendKind kBackend; \
  }
#include "vendor/backends.def"

namespace {

constexpr const BackendKind* kBackends[]{
#define BACKEND(vendor) &vendor::kBackend,
#include "vendor/backends.def"
};

}  // namespace

const BackendKind& backend_of(const std::string& library) {
  const std::string_view path(library);
  const std::string_view file_name = path.substr(path.rfind('/') + 1);
  for (const BackendKind* kind : kBackends) {
    if (kind->takes(file_name)) return *kind;
  }
  return *kBackends[0];
}

}  // namespace faultline
