// Who is at the other end of a unix socket, as the kernel knows it.
#include "core/peer_credentials.h"

#include <sys/socket.h>

#include <cerrno>

#ifndef SO_PEERGROUPS
#define SO_PEERGROUPS 59  // asm-generic/socket.h
#endif

namespace faultline {
namespace {

// NGROUPS_MAX of linux/limits.h.
constexpr size_t kMostPeerGroups = 65536;

std::vector<gid_t> peer_groups(int fd) {
  std::vector<gid_t> groups(32);
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto length = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &length) == 0) {
      groups.resize(length / sizeof(gid_t));
      return groups;
    }
    // The kernel says how much room they need.
    if (errno != ERANGE || length > kMostPeerGroups * sizeof(gid_t)) break;
    groups.resize(length / sizeof(gid_t));
  }
  return {};
}

}  // namespace

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
  return PeerCredentials{.pid = peer.pid, .uid = peer.uid, .gid = peer.gid, .groups = peer_groups(fd)};
}

}  // namespace faultline
