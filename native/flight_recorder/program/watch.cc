// Watches the parser while it is fed. What runs in the signal handler takes no lock and no memory.
#include "flight_recorder/program/watch.h"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>

namespace faultline::reader {
namespace {

constexpr long TICK_US = 200'000;
constexpr unsigned TICKS_A_SECOND = 1'000'000 / TICK_US;

// All that the handler may see; written only while the timer is off.
struct State {
  const Seen* seen;
  std::size_t files, before;
  unsigned most_ticks, ticks;
  std::uint32_t item;
};
State state;
volatile std::sig_atomic_t parser_pid = 0, was_ended = 0;

void write_progress(std::uint32_t item) {
  const std::size_t passed = item == 0 ? 0 : item - 1;
  const std::size_t done = std::min(passed - std::min(passed, state.before), state.files);
  char line[80];
  char* at = line;
  for (const std::uint64_t number : {std::uint64_t{state.files}, std::uint64_t{done}, state.seen->bytes.load()}) {
    at = std::to_chars(at, line + sizeof line - 1, number).ptr;
    *at++ = ' ';
  }
  at[-1] = '\n';
  // Progress that nothing takes is not worth a wait.
  if (::write(2, line, static_cast<std::size_t>(at - line)) < 0) return;
}

void on_tick(int) {
  const int before = errno;
  const std::uint32_t item = state.seen->item();
  state.ticks = state.seen->first_in_work() == item && item == state.item ? state.ticks + 1 : 0;
  state.item = item;
  // The join works on all files, however long it takes.
  const bool in_file = item > state.before && item - state.before <= state.files;
  if (in_file && state.ticks >= state.most_ticks && parser_pid != 0) {
    was_ended = 1;
    kill(static_cast<pid_t>(parser_pid), SIGKILL);
  }
  write_progress(item);
  errno = before;
}

void every(long us) {
  const itimerval each{{0, us}, {0, us}};
  setitimer(ITIMER_REAL, &each, nullptr);
}

}  // namespace

Watch::Watch(pid_t parser, const Seen& seen, std::size_t files, std::size_t before, unsigned file_seconds) {
  state = {&seen, files, before, std::max(1u, file_seconds * TICKS_A_SECOND), 0, 0};
  was_ended = 0;
  parser_pid = parser;
  struct sigaction action {};
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  every(TICK_US);
}

bool Watch::end() {
  parser_pid = 0;
  every(0);
  if (state.seen != nullptr) write_progress(state.seen->item());
  state.seen = nullptr;
  return was_ended != 0;
}

}  // namespace faultline::reader
