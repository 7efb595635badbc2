// `faultline-environ`: reads, of processes of other users, the variables and libraries of the allow-list, which files they have open
// and what they print, and nothing else. One connection of the daemon is its standard input. Three processes: two open or list
// and cannot read, the third reads and has no right.
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
#include "environ/lister.h"
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

// Starts one that serves through a channel, whose other end this is; -1 where the system gives none. `other`: a channel that it
// must not have.
int start(pid_t reader, int other, void (*serve)(int, pid_t)) {
  int channel[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0) return -1;
  const pid_t pid = fork();
  if (pid == 0) {
    if (!confine::end_with(reader)) _exit(0);
    for (const int fd : {0, other, channel[0]})
      if (fd >= 0) close(fd);
    serve(channel[1], reader);
  }
  close(channel[1]);
  return pid < 0 ? -1 : channel[0];
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
  confine::limit(RLIMIT_NOFILE, 128);
  confine::close_from(3);
  if (!confine::hide_memory() || !confine::no_new_privileges()) return fail(kNotPossible, "the system refuses what it needs to begin");
  const pid_t reader = getpid();
  const int opener = start(reader, -1, environ_reader::serve_openings);
  const int lister = opener < 0 ? -1 : start(reader, opener, environ_reader::serve_listings);
  if (lister < 0) return fail(kNotPossible, "the system gives no process");
  return environ_reader::answer_requests(0, opener, lister) ? 0 : fail(kNotPossible, "the kernel does not take its rights away");
}
