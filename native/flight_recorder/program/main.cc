// faultline-fr: reads flight-recorder dumps for the daemon and for `faultline fr`. One process opens the files, another without
// any right reads what is in them. It also starts the other children that read what others wrote, the host's inventory and the
// programs that a scheduler is asked by, with as few rights as they need.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/confine/rights.h"
#include "flight_recorder/program/ask.h"
#include "flight_recorder/program/brief.h"
#include "flight_recorder/program/inventory.h"
#include "flight_recorder/program/parser.h"
#include "flight_recorder/program/whole.h"

namespace faultline::reader {
namespace {

constexpr char USAGE[] =
    "usage: faultline-fr PARENT_PID <PATHS\n"
    "       faultline-fr PARENT_PID whole FILE_SECONDS MEMORY_MIB JOB <PATHS\n"
    "       faultline-fr inventory PARENT_PID FOLDER PROGRAM ARGUMENTS...\n"
    "       faultline-fr ask PARENT_PID PROGRAM ARGUMENTS...\n"
    "Started by Faultline with paths on standard input, each ended by a zero byte; it is not run by hand.\n";

int run(int count, char** arguments) {
  if (count > 2 && std::string_view(arguments[1]) == "inventory") return run_inventory(count - 2, arguments + 2);
  if (count > 2 && std::string_view(arguments[1]) == "ask") return run_ask(count - 2, arguments + 2);
  const bool whole = count == 6 && std::string_view(arguments[2]) == "whole";
  if (count != 2 && !whole) {
    std::fputs(USAGE, stderr);
    return EXIT_USAGE;
  }
  if (!confine::end_with(static_cast<pid_t>(std::strtol(arguments[1], nullptr, 10)))) return EXIT_ORPHANED;
  confine::close_from(3);
  std::signal(SIGPIPE, SIG_IGN);
  if (!whole) return run_brief();
  fcntl(2, F_SETFL, fcntl(2, F_GETFL) | O_NONBLOCK);
  return run_whole({static_cast<unsigned>(std::strtoul(arguments[3], nullptr, 10)),
                    std::strtoull(arguments[4], nullptr, 10), arguments[5]});
}

}  // namespace
}  // namespace faultline::reader

int main(int count, char** arguments) { return faultline::reader::run(count, arguments); }
