// One sd_notify datagram, without libsystemd.
#pragma once

#include <string_view>

namespace faultline {

// Sends `message` to the unix datagram socket `socket` (leading '@' = abstract); false when it could not be sent.
bool notify(std::string_view socket, std::string_view message);

std::string_view version();

}  // namespace faultline
