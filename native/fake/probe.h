// What a library that turned against its host would try, for the tests of what its process may do.
#pragma once

#include <string>

namespace faultline::fake {

// Tries `what` once and says "WHAT: done", or with which error the system refused it: "socket: Operation not permitted".
std::string probe(const std::string& what);

}  // namespace faultline::fake
