// The calls that no reader of devices or of the host's inventory needs, and with which a process reaches beyond itself.
#pragma once

#include "core/confine/call_filter.h"

namespace faultline::confine {

// Of other processes, of the kernel, of namespaces, of the system's settings; EPERM, and ENOSYS for what is newer than this.
void refuse_reach(CallFilter& filter);
// To start a program or another process. Threads may be started.
void refuse_programs(CallFilter& filter);
// To talk to anybody, by any family. A pair of connected sockets may be made.
void refuse_sockets(CallFilter& filter);
// To make, move, remove or change the rights of files. What is open may be written.
void refuse_changes_of_files(CallFilter& filter);
// To signal a process other than this one, and to change what the kernel lets it do.
void refuse_signals(CallFilter& filter);

}  // namespace faultline::confine
