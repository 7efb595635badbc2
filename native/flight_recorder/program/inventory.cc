// The user stays: what of the firmware's tables only root may read is root's to read, by owner and without a capability.
#include "flight_recorder/program/inventory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/confine/file_rules.h"
#include "core/confine/refused_calls.h"
#include "core/confine/rights.h"

namespace faultline::reader {
namespace {

constexpr int EXIT_REFUSED = 70, EXIT_NOT_THERE = 127, EXIT_PARENT = 5;
constexpr std::uint64_t MAX_CPU_SECONDS = 60, MAX_FILES = 256, MAX_THREADS = 1024;

constexpr const char* PROGRAMS[]{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/nix/store", "/gnu/store"};
constexpr const char* FACTS[]{"/proc", "/sys", "/etc/os-release", "/etc/lsb-release", "/etc/redhat-release", "/etc/centos-release",
                              "/etc/fedora-release", "/etc/debian_version", "/etc/alpine-release", "/etc/SuSE-release",
                              "/etc/hostname", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl/openssl.cnf",
                              "/etc/pki/tls/openssl.cnf", "/etc/crypto-policies"};
constexpr const char* DEVICES[]{"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"};

std::string real(const std::string& path) {
  char* const found = realpath(path.c_str(), nullptr);
  const std::string result = found == nullptr ? "" : found;
  std::free(found);
  return result;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

void allow(confine::FileRules& rules, const std::string& folder) {
  if (folder.size() > 1) rules.may_run(folder);
}

}  // namespace

int run_inventory(int count, char** arguments) {
  if (count < 4) return EXIT_REFUSED;
  const std::string folder = arguments[1], program = arguments[2];
  confine::close_from(3);
  if (chdir("/") != 0 || !confine::end_with(static_cast<pid_t>(std::strtol(arguments[0], nullptr, 10)))) return EXIT_PARENT;
  confine::limit(RLIMIT_CORE, 0);
  confine::limit(RLIMIT_FSIZE, 0);
  confine::limit(RLIMIT_CPU, MAX_CPU_SECONDS);
  confine::limit(RLIMIT_NOFILE, MAX_FILES);
  confine::limit(RLIMIT_NPROC, MAX_THREADS);
  confine::FileRules rules;
  for (const char* path : PROGRAMS) rules.may_run(path);
  for (const char* path : FACTS) rules.may_read(path);
  for (const char* path : DEVICES) rules.may_use(path);
  // An interpreter in its own folder has its libraries next to it.
  allow(rules, folder_of(folder_of(real(program))));
  allow(rules, folder);
  allow(rules, real(folder + "/node_modules"));
  allow(rules, folder_of(arguments[count - 1]));

  // Where a filter forbids to drop them, they end with this program all the same, unless it is root's.
  const bool dropped = confine::drop_capabilities() || (confine::start_without_capabilities() && geteuid() != 0);
  if (!dropped || !confine::no_new_privileges()) return EXIT_REFUSED;
  rules.hold();
  confine::CallFilter filter;
  confine::refuse_reach(filter);
  confine::refuse_sockets(filter);
  confine::refuse_signals(filter);
  if (!filter.hold(confine::CallFilter::Otherwise::kAllow)) return EXIT_REFUSED;
  execv(program.c_str(), arguments + 2);
  return EXIT_NOT_THERE;
}

}  // namespace faultline::reader
