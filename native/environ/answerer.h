// The part of `faultline-environ` that reads what the others opened, and answers. It has no right, and can open nothing.
#pragma once

namespace faultline::environ_reader {

// Until the connection or the channel to one of the others ends. False where the kernel does not take its rights away.
bool answer_requests(int connection, int opener, int lister);

}  // namespace faultline::environ_reader
