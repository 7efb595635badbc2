// One sd_notify datagram, without libsystemd.
#include "core/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace faultline {

bool notify(std::string_view socket_path, std::string_view message) {
  sockaddr_un address{};
  // systemd only ever hands out absolute paths and abstract names; anything else would depend on our working folder.
  if (socket_path.size() < 2 || socket_path.size() >= sizeof(address.sun_path)) return false;
  if (socket_path[0] != '/' && socket_path[0] != '@') return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  if (socket_path[0] == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_path.size());

  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  const ssize_t sent = ::sendto(fd, message.data(), message.size(), MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&address), length);
  ::close(fd);
  return sent == static_cast<ssize_t>(message.size());
}

std::string_view version() { return FAULTLINE_VERSION; }

}  // namespace faultline
