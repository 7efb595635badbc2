// Who is at the other end of a unix socket, as the kernel knows it.
#pragma once

#include <optional>
#include <vector>

#include <sys/types.h>

namespace faultline {

struct PeerCredentials {
  // 0 where the peer lives in a PID namespace that this process does not see.
  pid_t pid;
  uid_t uid;
  gid_t gid;
  // The others that it is a member of (SO_PEERGROUPS, Linux 4.13); empty where the kernel does not say.
  std::vector<gid_t> groups;
};

// Of a connected unix socket: what its peer was when it connected (SO_PEERCRED, unix(7)). Empty, with errno set, for every
// other descriptor.
std::optional<PeerCredentials> peer_credentials(int fd);

}  // namespace faultline
