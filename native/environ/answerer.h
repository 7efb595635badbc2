// The half of `faultline-environ` that reads what the other opened, and answers. It has no right, and can open nothing.
#pragma once

namespace faultline::environ_reader {

// Until the connection or the channel to the opener ends. False where the kernel does not take its rights away.
bool answer_requests(int connection, int opener);

}  // namespace faultline::environ_reader
