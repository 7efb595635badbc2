// Starts the host's inventory with few rights: it runs programs of the host by a shell, and its answers are texts of firmware.
#pragma once

namespace faultline::reader {

// PARENT_PID FOLDER PROGRAM ARGUMENTS…: replaces this process by PROGRAM, which may read FOLDER besides the host's own
// programs and what the kernel says of the hardware. Comes back only where it could not, with the status to end with.
int run_inventory(int count, char** arguments);

}  // namespace faultline::reader
