// Who is at the other end of a unix socket, as the kernel knows it.
#include "core/peer_credentials.h"

#include <sys/socket.h>

#include <cerrno>

namespace faultline {

std::optional<PeerCredentials> peer_credentials(int fd) {
  // Sockets of other families answer too, with pid 0 and the overflow ids: they have no peer that the kernel vouches for.
  int family = 0;
  socklen_t length = sizeof(family);
  if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &length) != 0) return std::nullopt;
  if (family != AF_UNIX) {
    errno = EAFNOSUPPORT;
    return std::nullopt;
  }
  ucred peer{};
  length = sizeof(peer);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return std::nullopt;
  if (peer.uid == static_cast<uid_t>(-1)) {
    errno = ENOTCONN;
    return std::nullopt;
  }
  return PeerCredentials{.pid = peer.pid, .uid = peer.uid, .gid = peer.gid};
}

}  // namespace faultline
