// The user stays, and sockets do: the answer is asked of a daemon, which decides by the user. No capability, and no file is
// written, made or removed.
#include "flight_recorder/program/ask.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "core/confine/file_rules.h"
#include "core/confine/refused_calls.h"
#include "core/confine/rights.h"

namespace faultline::reader {
namespace {

constexpr int EXIT_REFUSED = 70, EXIT_NOT_THERE = 127, EXIT_PARENT = 5;
// What a client of Slurm without a configuration file gets from its controller goes into a file in memory.
constexpr std::uint64_t MAX_FILE_BYTES = 16 << 20;
constexpr std::uint64_t MAX_CPU_SECONDS = 30, MAX_FILES = 256;
constexpr const char* DEVICES[]{"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"};

}  // namespace

int run_ask(int count, char** arguments) {
  if (count < 2) return EXIT_REFUSED;
  confine::close_from(3);
  if (chdir("/") != 0 || !confine::end_with(static_cast<pid_t>(std::strtol(arguments[0], nullptr, 10)))) return EXIT_PARENT;
  confine::limit(RLIMIT_CORE, 0);
  confine::limit(RLIMIT_FSIZE, MAX_FILE_BYTES);
  confine::limit(RLIMIT_CPU, MAX_CPU_SECONDS);
  confine::limit(RLIMIT_NOFILE, MAX_FILES);
  confine::FileRules rules(confine::FileRules::Network::kAllowed);
  rules.may_run("/");
  for (const char* path : DEVICES) rules.may_use(path);

  // Where a filter forbids to drop them, they end with this program all the same, unless it is root's.
  const bool dropped = confine::drop_capabilities() || (confine::start_without_capabilities() && geteuid() != 0);
  if (!dropped || !confine::no_new_privileges()) return EXIT_REFUSED;
  rules.hold();
  confine::CallFilter filter;
  confine::refuse_reach(filter);
  confine::refuse_changes_of_files(filter);
  confine::refuse_signals(filter);
  if (!filter.hold(confine::CallFilter::Otherwise::kAllow)) return EXIT_REFUSED;
  execv(arguments[1], arguments + 1);
  return EXIT_NOT_THERE;
}

}  // namespace faultline::reader
