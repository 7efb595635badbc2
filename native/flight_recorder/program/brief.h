// The daemon's reading of dumps: one short answer, at low priority, in what memory the service leaves.
#pragma once

namespace faultline::reader {

// Reads the paths on standard input; returns the status to end with.
int run_brief();

}  // namespace faultline::reader
