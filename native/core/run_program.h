// Starts a program, gives it its input and takes its one answer, on a thread that may wait: the other threads continue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/thread.h"

namespace faultline {

struct ProgramRun {
  std::string program;
  std::string input;  // on its standard input
  std::int64_t deadline_ns = 0;  // how long it may take
  std::size_t most_bytes = 0;    // of its answer
  std::function<void(int pid)> started = nullptr;                   // called on the thread that waits; may be left out
  std::function<void(std::string_view line)> first_line = nullptr;  // of its output, as soon as it is there; may be left out
};

enum class ProgramEnd { exited, signalled, not_started, stopped, late, too_much };

struct ProgramAnswer {
  ProgramEnd end = ProgramEnd::not_started;
  int number = 0;      // the status, the signal, or the errno for which it was not started
  std::string output;  // of a program that exited
};

// The program gets this process's id as its only argument, no environment, standard input and output of its own, no other
// descriptor that is close-on-exec, every signal at its default, and nowhere to write errors to. `done` is called once: when
// it ended and its output did, or when it was killed because of `stop`, its deadline or its length. The call returns when it
// is reaped, which may be later where it hangs in a system call. For a thread of `start_thread`, where signals are blocked;
// should the thread end before it, a program that asked for PR_SET_PDEATHSIG ends too.
void run_program(const ProgramRun& run, const StopSignal& stop, const std::function<void(ProgramAnswer)>& done);

}  // namespace faultline
