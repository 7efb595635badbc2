// Starts a program of the host that only answers a question, as a scheduler's `show` does, with few rights.
#pragma once

namespace faultline::reader {

// PARENT_PID PROGRAM ARGUMENTS...; the exit status where the program could not be started.
int run_ask(int count, char** arguments);

}  // namespace faultline::reader
