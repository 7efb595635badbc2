// Files by Landlock, calls by seccomp, and before both the user, the capabilities and the limits.
#include "vendor/confine.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "core/confine/file_rules.h"
#include "core/confine/refused_calls.h"
#include "core/confine/rights.h"
#include "vendor/backend.h"
#include "vendor/own_user.h"

namespace faultline {
namespace {

// Sixteen GPUs with a dozen descriptors each, and as much again.
constexpr std::uint64_t kMostFiles = 512;
// Of all processes of this user, the daemon's threads among them.
constexpr std::uint64_t kMostThreads = 512;
constexpr std::uint64_t kMostLocked = 64 << 10;

// Where loaders look, and where distributions and the GPU operator put the driver's libraries.
constexpr const char* kLibraries[]{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64",
                                   "/usr/local/nvidia", "/usr/local/cuda", "/run/nvidia/driver", "/run/opengl-driver",
                                   "/nix/store", "/gnu/store"};
constexpr const char* kRead[]{"/etc/ld.so.cache", "/etc/localtime", "/sys", "/proc/self", "/proc/driver",
                              "/proc/devices", "/proc/modules", "/proc/cpuinfo", "/proc/meminfo", "/proc/version",
                              "/proc/stat", "/proc/filesystems", "/proc/cmdline", "/proc/sys/kernel", "/proc/sys/vm"};
constexpr const char* kUsed[]{"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/dxg"};

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The folders that the environment or the configuration names: whoever wrote those is trusted.
std::vector<std::string> named_folders(const std::string& library) {
  std::vector<std::string> folders;
  if (library.find('/') != std::string::npos) {
    folders.push_back(folder_of(library));
    if (char* const real = realpath(library.c_str(), nullptr)) {
      folders.push_back(folder_of(real));
      std::free(real);
    }
  }
  std::string paths = variable("LD_LIBRARY_PATH");
  while (!paths.empty()) {
    const std::size_t end = std::min(paths.find(':'), paths.size());
    folders.push_back(paths.substr(0, end));
    paths.erase(0, end + 1);
  }
  return folders;
}

void allow_files(confine::FileRules& rules, const std::string& library, const DriverFiles& driver) {
  for (const char* path : kLibraries) rules.may_run(path);
  // Not the root of everything, should a library lie there.
  for (const std::string& folder : named_folders(library)) {
    if (folder.size() > 1) rules.may_run(folder);
  }
  for (const char* path : kRead) rules.may_read(path);
  for (const char* path : kUsed) rules.may_use(path);
  for (const std::string& device : driver.devices) rules.may_use(device);
  for (const std::string& folder : driver.folders) rules.may_read(folder);
}

bool filter_calls() {
  confine::CallFilter filter;
  confine::refuse_reach(filter);
  confine::refuse_programs(filter);
  confine::refuse_sockets(filter);
  confine::refuse_changes_of_files(filter);
  confine::refuse_signals(filter);
  return filter.hold(confine::CallFilter::Otherwise::kAllow);
}

}  // namespace

Confinement confine_child(const std::string& library, pid_t parent) {
  Confinement result;
  confine::Kept kept;
  confine::limit(RLIMIT_CORE, 0);
  confine::limit(RLIMIT_FSIZE, 0);
  confine::limit(RLIMIT_NOFILE, kMostFiles);
  confine::limit(RLIMIT_NPROC, kMostThreads);
  confine::limit(RLIMIT_MEMLOCK, kMostLocked);
  signal(SIGXFSZ, SIG_IGN);  // a write that is too long fails

  const DriverFiles driver = backend_of(library).files(library);
  confine::FileRules rules;
  allow_files(rules, library, driver);
  std::string why_root;
  if (geteuid() == 0) {
    std::vector<std::string> files = driver.needed;
    if (library.find('/') != std::string::npos && access(library.c_str(), F_OK) == 0) files.insert(files.begin(), library);
    const OwnUser own = find_own_user(driver.devices, files);
    why_root = own.why_not;
    if (why_root.empty() && !confine::drop_user(own.user, own.group)) why_root = "the system refuses to change it";
    kept.step(why_root.empty(), "user");
  }
  kept.step(confine::drop_capabilities(), "capabilities");
  kept.step(confine::hide_memory(), "memory");
  kept.step(confine::no_new_privileges(), "new privileges");
  // A change of the user forgets whom to end with.
  result.orphaned = !confine::end_with(parent);
  kept.step(rules.hold(), rules.possible() ? "files" : "files (this kernel has no Landlock)");
  kept.step(filter_calls(), "system calls");
  result.complete = kept.text().empty();
  result.text = result.complete ? "the child has given up all rights" : "the child could not give up: " + kept.text();
  if (!why_root.empty()) result.text += "; it stays root since " + why_root;
  return result;
}

}  // namespace faultline
