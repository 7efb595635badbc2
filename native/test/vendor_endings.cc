// Ending children: asked, killed, and abandoned when they cannot be reaped.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "check.h"
#include "collecting_sink.h"
#include "core/clock.h"
#include "core/vendor/endings.h"
#include "core/vendor/process.h"
#include "temporary_folder.h"

using namespace faultline;
using checks::test;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// A child that lives until it is ended; `shield` makes it deaf to SIGTERM.
std::unique_ptr<VendorProcess> start(const std::string& folder, bool shield) {
  const std::string script = folder + "/child";
  std::ofstream(script) << "#!/bin/sh\n" << (shield ? "trap '' TERM\n" : "") << "echo > " << folder << "/up\nexec sleep 600\n";
  chmod(script.c_str(), 0755);
  std::string why;
  VendorSpawn spawn;
  spawn.executable = script;
  spawn.library = "library";
  spawn.orders = {"-", kSecond};
  spawn.environment = {"PATH=/usr/bin:/bin"};
  auto process = VendorProcess::start(spawn, why);
  CHECK_EQ(why, std::string());
  while (process && access((folder + "/up").c_str(), F_OK) != 0) usleep(1000);
  unlink((folder + "/up").c_str());
  return process;
}

// Serves with the clock put forward to `now` until nothing is left that may still end.
void serve_until_settled(Endings& endings, VendorReport& report, std::int64_t now) {
  for (int i = 0; i < 30'000 && !endings.settled(); ++i) {
    endings.serve(now, report);
    usleep(1000);
  }
}

// A process that holds `pid` under ptrace: dead, it stays unreapable, like one whose thread never leaves the driver.
pid_t hold(pid_t pid) {
  int ready[2];
  CHECK_EQ(pipe(ready), 0);
  const pid_t tracer = fork();
  if (tracer == 0) {
    const char held = ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0 ? 'y' : 'n';
    [[maybe_unused]] const auto written = write(ready[1], &held, 1);
    for (;;) pause();
  }
  char held = 'n';
  CHECK_EQ(read(ready[0], &held, 1), 1);
  CHECK_EQ(held, 'y');
  close(ready[0]);
  close(ready[1]);
  return tracer;
}

}  // namespace

int main() {
  test("a child that obeys SIGTERM ends without a notice", [] {
    const TemporaryFolder folder;
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    Endings endings;
    const std::int64_t now = monotonic_now();
    endings.add(start(folder.root(), false), true, now);
    serve_until_settled(endings, report, now);
    CHECK(endings.settled());
    CHECK_EQ(endings.abandoned(), 0U);
    CHECK(!endings.next_due_ns(now));
    CHECK(sink->notices().empty());
  });

  test("a child that is deaf to SIGTERM is killed half a second later", [] {
    const TemporaryFolder folder;
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    Endings endings;
    const std::int64_t now = monotonic_now();
    endings.add(start(folder.root(), true), true, now);
    endings.serve(now + kSecond / 2 - 1, report);
    CHECK(!endings.settled());
    serve_until_settled(endings, report, now + kSecond / 2);
    CHECK(endings.settled());
    CHECK_EQ(endings.abandoned(), 0U);
  });

  test("a child that SIGKILL does not remove is abandoned and reported once, and reaped when it goes at last", [] {
    const TemporaryFolder folder;
    const auto sink = std::make_shared<CollectingSink>();
    VendorReport report(sink);
    Endings endings;
    auto process = start(folder.root(), false);
    const std::string pid = std::to_string(process->pid());
    const pid_t tracer = hold(process->pid());
    const std::int64_t now = monotonic_now();
    endings.add(std::move(process), false, now);
    endings.serve(now + 2 * kSecond - 1, report);
    CHECK(!endings.settled());
    endings.serve(now + 2 * kSecond, report);
    endings.serve(now + 9 * kSecond, report);
    CHECK(endings.settled());
    CHECK_EQ(endings.abandoned(), 1U);
    CHECK_EQ(sink->notices().size(), 1U);
    CHECK(sink->noticed("child_exit", "abandoned"));
    CHECK(sink->notices()[0].text.find("pid " + pid) == 0);
    kill(tracer, SIGKILL);
    waitpid(tracer, nullptr, 0);
    for (int i = 0; i < 30'000 && endings.abandoned() > 0; ++i) {
      endings.serve(now + 10 * kSecond, report);
      usleep(1000);
    }
    CHECK_EQ(endings.abandoned(), 0U);
  });
  return checks::result();
}
