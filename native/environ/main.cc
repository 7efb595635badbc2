// `faultline-environ`: reads, of processes of other users, the variables and libraries of the allow-list, and nothing else.
// One connection of the daemon is its standard input. Two processes: one opens and cannot read, the other reads and has no right.
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>

#include "core/confine/rights.h"
#include "core/peer_credentials.h"
#include "environ/answerer.h"
#include "environ/opener.h"

namespace {

using namespace faultline;

constexpr int kUsage = 64;
constexpr int kNotPossible = 71;

int fail(int status, const char* why) {
  std::fprintf(stderr, "faultline-environ: %s\n", why);
  return status;
}

// Whoever the socket's file belongs to may ask.
bool may_ask(int connection) {
  sockaddr_un address{};
  socklen_t length = sizeof address;
  if (getsockname(connection, reinterpret_cast<sockaddr*>(&address), &length) != 0 || address.sun_family != AF_UNIX ||
      address.sun_path[0] != '/')
    return false;
  address.sun_path[sizeof address.sun_path - 1] = '\0';
  struct stat file {};
  const auto peer = peer_credentials(connection);
  return peer && lstat(address.sun_path, &file) == 0 && S_ISSOCK(file.st_mode) && file.st_uid == peer->uid;
}

}  // namespace

int main(int count, char**) {
  int type = 0;
  socklen_t length = sizeof type;
  if (count != 1 || getsockopt(0, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_SEQPACKET)
    return fail(kUsage, "is started by faultline-environ.socket, with a connection as its standard input");
  if (geteuid() == 0) return fail(kUsage, "does not run as root: it needs a user of its own and two capabilities");
  if (!may_ask(0)) return fail(kUsage, "who asks is not whom the socket belongs to");
  // What ends a half that hangs; whoever started this may have ignored or blocked it.
  sigset_t none;
  sigemptyset(&none);
  if (signal(SIGALRM, SIG_DFL) == SIG_ERR || sigprocmask(SIG_SETMASK, &none, nullptr) != 0)
    return fail(kNotPossible, "the system refuses signals");
  confine::limit(RLIMIT_CORE, 0);
  confine::limit(RLIMIT_FSIZE, 0);
  confine::limit(RLIMIT_NOFILE, 16);
  confine::close_from(3);
  int channel[2];
  if (!confine::hide_memory() || !confine::no_new_privileges() ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0)
    return fail(kNotPossible, "the system refuses what it needs to begin");
  const pid_t reader = getpid();
  const pid_t opener = fork();
  if (opener < 0) return fail(kNotPossible, "the system gives no process");
  if (opener == 0) {
    if (!confine::end_with(reader)) return 0;
    for (const int fd : {0, channel[0]}) close(fd);
    environ_reader::serve_openings(channel[1], reader);
  }
  close(channel[1]);
  return environ_reader::answer_requests(0, channel[0]) ? 0 : fail(kNotPossible, "the kernel does not take its rights away");
}
