// Ends of processes and control groups: known when they come, in few wakes however many end.
#include "core/processes/end_watch.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "check.h"
#include "core/clock.h"
#include "temporary_folder.h"

using namespace faultline;
using checks::test;

namespace {

// A child that waits for its end.
struct Child {
  Child() : pid(fork()) {
    if (pid == 0) {
      for (;;) pause();
    }
    ProcessFiles().read("/proc/" + std::to_string(pid) + "/stat", 4096, stat);
    key = {static_cast<std::uint32_t>(pid), start_ticks(stat)};
  }
  ~Child() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid;
  std::string stat;
  ProcessKey key;
};

class Watched {
 public:
  explicit Watched(const std::string& cgroups = "/nowhere") : watch_(EndWatch::start(cgroups, [this] { ++wakes; })) { CHECK(watch_ != nullptr); }
  ~Watched() { watch_->stop(); }
  EndWatch* operator->() { return watch_.get(); }
  // Takes ends until there are so many.
  Ends until(std::size_t processes, std::size_t groups) {
    Ends all;
    for (int tries = 0; tries < 2000 && (all.processes.size() < processes || all.groups.size() < groups); ++tries) {
      const Ends some = watch_->take();
      all.processes.insert(all.processes.end(), some.processes.begin(), some.processes.end());
      all.groups.insert(all.groups.end(), some.groups.begin(), some.groups.end());
      usleep(5000);
    }
    CHECK_EQ(all.processes.size(), processes);
    CHECK_EQ(all.groups.size(), groups);
    return all;
  }
  void until_wakes(int more_than) const {
    for (int tries = 0; tries < 2000 && wakes <= more_than; ++tries) usleep(5000);
    CHECK(wakes > more_than);
  }

  std::atomic<int> wakes{0};

 private:
  const std::shared_ptr<EndWatch> watch_;
};

void one_end() {
  Watched watch;
  const Child rank, other;
  watch->follow({{rank.key, true}, {other.key, false}}, {});
  CHECK(watch->by_descriptor());
  // What does not matter wakes no one; its time is kept.
  const std::int64_t before_ns = monotonic_now();
  kill(other.pid, SIGKILL);
  CHECK_EQ(watch.until(1, 0).processes[0].process.pid, other.key.pid);
  CHECK_EQ(watch.wakes.load(), 0);
  // Nothing reaps it.
  kill(rank.pid, SIGKILL);
  watch.until_wakes(0);
  const Ends ends = watch.until(1, 0);
  CHECK_EQ(ends.processes[0].process.pid, rank.key.pid);
  CHECK_EQ(ends.processes[0].process.start_ticks, rank.key.start_ticks);
  CHECK(ends.processes[0].at_ns >= before_ns && ends.processes[0].at_ns <= monotonic_now());
}

void many_at_once() {
  Watched watch;
  std::vector<std::unique_ptr<Child>> children;
  std::vector<FollowedProcess> followed;
  for (int each = 0; each < 200; ++each) {
    children.push_back(std::make_unique<Child>());
    followed.push_back({children.back()->key, true});
  }
  watch->follow(followed, {});
  const std::int64_t began_ns = monotonic_now();
  for (const auto& child : children) kill(child->pid, SIGKILL);
  watch.until(200, 0);
  watch.until_wakes(0);
  // Four times a second at most, for as long as this took.
  const int wakes = watch.wakes;
  CHECK(wakes <= 2 + (monotonic_now() - began_ns) / 250'000'000);
}

void left_out() {
  Watched watch;
  const Child one, two;
  // Another process under its number, a number that is none, one that is followed no more.
  watch->follow({{{one.key.pid, one.key.start_ticks + 1}, true}, {{4'000'000, 1}, true}, {two.key, true}}, {});
  watch->follow({{{one.key.pid, one.key.start_ticks + 1}, true}}, {});
  kill(one.pid, SIGKILL);
  kill(two.pid, SIGKILL);
  const Child three;
  watch->follow({{three.key, true}}, {});
  kill(three.pid, SIGKILL);
  CHECK_EQ(watch.until(1, 0).processes[0].process.pid, three.key.pid);
}

void groups() {
  TemporaryFolder folder;
  const auto group = [&](const std::string& name, const char* populated) {
    mkdir(folder.path(name).c_str(), 0755);
    std::ofstream(folder.path(name) + "/cgroup.events") << "populated " << populated << "\nfrozen 0\n";
  };
  for (const char* name : {"job_1", "job_2", "job_3"}) group(name, "1");
  mkdir(folder.path("unified").c_str(), 0755);
  group("unified/job_4", "1");
  Watched watch(folder.root());
  const std::set<std::string> all{"/job_1", "/job_2", "/job_3", "/job_4", "/../job_5", "/job_6"};
  watch->follow({}, all);
  group("job_1", "1");
  group("job_2", "0");
  CHECK_EQ(watch.until(0, 1).groups[0].group, std::string("/job_2"));
  watch.until_wakes(0);
  unlink((folder.path("job_3") + "/cgroup.events").c_str());
  CHECK_EQ(watch.until(0, 1).groups[0].group, std::string("/job_3"));
  group("unified/job_4", "0");
  CHECK_EQ(watch.until(0, 1).groups[0].group, std::string("/job_4"));
  // One that is empty is not said to be again; one that is followed no more says nothing.
  watch->follow({}, all);
  watch->follow({}, {});
  group("job_1", "0");
  group("job_7", "1");
  watch->follow({}, {"/job_7"});
  group("job_7", "0");
  CHECK_EQ(watch.until(0, 1).groups[0].group, std::string("/job_7"));
}

// Ended, followed and taken at once, from several threads.
void churn() {
  Watched watch;
  std::atomic<bool> done{false};
  std::size_t taken = 0;
  std::thread taker([&] {
    while (!done) {
      taken += watch->take().processes.size();
      usleep(1000);
    }
  });
  std::size_t killed = 0;
  for (int round = 0; round < 100; ++round) {
    const Child one, two;
    watch->follow({{one.key, true}, {two.key, round % 2 == 0}}, {});
    kill(one.pid, SIGKILL);
    ++killed;
  }
  for (int tries = 0; tries < 100; ++tries) usleep(1000);
  done = true;
  taker.join();
  taken += watch->take().processes.size();
  // The second of each round ends with it, where it is still followed.
  CHECK(taken > 0 && taken <= 2 * killed);
}

}  // namespace

int main() {
  test("the end of a rank wakes, that of another process keeps its time", one_end);
  test("many ends are few wakes", many_at_once);
  test("of what is not followed nothing is said", left_out);
  test("a control group without a process has ended, once", groups);
  test("processes end while they begin to be followed", churn);
  return checks::result();
}
