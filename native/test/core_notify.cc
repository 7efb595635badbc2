// sd_notify datagrams over real sockets, named by path and abstract.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "core/notify.h"
#include "test/check.h"
#include "test/temporary_folder.h"

using namespace faultline;

namespace {

std::string send_and_receive(std::string name, const std::string& message) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string shown = name;
  if (name[0] == '@') name[0] = '\0';
  std::memcpy(address.sun_path, name.data(), name.size());
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  std::string received = "not bound";
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0) {
    received = notify(shown, message) ? "sent" : "not sent";
    char buffer[256];
    const ssize_t size = ::recv(fd, buffer, sizeof(buffer), 0);
    if (size >= 0) received.assign(buffer, static_cast<std::size_t>(size));
  }
  ::close(fd);
  return received;
}

}  // namespace

int main() {
  TemporaryFolder folder;
  checks::test("notify: by path and by abstract name", [&] {
    CHECK_EQ(send_and_receive(folder.path("socket"), "READY=1\nSTATUS=up"), "READY=1\nSTATUS=up");
    CHECK_EQ(send_and_receive("@" + folder.root(), "WATCHDOG=1"), "WATCHDOG=1");
  });
  checks::test("notify: false where no process listens, or there is no such address", [&] {
    CHECK(!notify(folder.path("absent"), "READY=1"));
    for (const std::string& bad : {std::string(), std::string("/"), std::string("relative"), "/" + std::string(200, 'x')}) {
      CHECK(!notify(bad, "READY=1"));
    }
  });
  checks::test("version: that of package.json", [] { CHECK(!version().empty()); });
  return checks::result();
}
