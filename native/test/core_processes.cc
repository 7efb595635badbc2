// The table of processes: what is taken from procfs, and that a file that hangs holds up nothing but itself.
#include "core/processes/process_table.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "check.h"
#include "process_table_under_test.h"
#include "temporary_folder.h"

using namespace faultline;
using checks::test;
using process_table_under_test::options_of;
using process_table_under_test::scan_of;

namespace {

using namespace std::chrono_literals;
using std::string_literals::operator""s;

void text() {
  const std::vector<std::string> names{"RANK", "HOME"};
  const auto values = environment_values("A=1\0RANK=3\0HOMER=x\0HOME=/a=b\0RANK=4\0=\0X"s, names);
  CHECK_EQ(values[0].value_or("none"), "4"s);
  CHECK_EQ(values[1].value_or("none"), "/a=b"s);
  CHECK(!environment_values("RANK="s + std::string(4096, 'x'), names)[0]);
  CHECK_EQ(environment_values("RANK="s + std::string(4095, 'x'), names)[0].value_or("").size(), std::size_t{4095});
  for (const std::string& odd : {""s, "\0\0\0"s, "RANK"s, std::string(100'000, '='), "HOME\0RANK\0"s}) {
    CHECK(!environment_values(odd, names)[0]);
  }
  // A name may hold brackets, blanks and what looks like fields.
  CHECK_EQ(start_ticks("7 (a) R 1 (x) ) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 19"), std::uint64_t{777});
  for (const char* odd : {"", "7 (a", "7 (a) S 1 2", "7 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 x 19"}) {
    CHECK_EQ(start_ticks(odd), std::uint64_t{0});
  }
  const auto owner = owner_of("Name:\tUid:\t9\t9\nUid:\t0\t1000\t0\t0\nGid:\t0\t1001\t0\t0\nGroups:\t4 27 1001 \n");
  CHECK(owner == (std::vector<std::uint32_t>{1000, 1001, 4, 27, 1001}));
  for (const char* odd : {"", "Uid:\t0", "Uid:\tx\ty\n", "Gid:\t0\t0\n", "Uid:\t0\t99999999999\n"}) CHECK(owner_of(odd).empty());
  CHECK_EQ(command_words("python\0-m\0\0x"s).size(), std::size_t{4});
  CHECK_EQ(command_words(std::string(10'000, '\0')).size(), std::size_t{4096});
}

std::string stat_line(int ticks) {
  return "1 (python) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 " + std::to_string(ticks) + " 0";
}

void lives() {
  TemporaryFolder proc;
  proc.write("10/environ", "PATH=/bin\0"s);
  proc.write("11/environ", "RANK=0\0HOME=/h\0SECRET=x\0"s);
  proc.write("11/stat", stat_line(100));
  proc.write("11/cmdline", "python\0train.py\0"s);
  proc.write("uptime", "1");
  const auto table = std::make_shared<ProcessTable>(options_of(proc));
  const ProcessScan first = scan_of(table);
  CHECK_EQ(first.changed.size(), std::size_t{1});
  CHECK_EQ(first.changed[0].values[0].value_or(""), "/h"s);
  CHECK_EQ(first.changed[0].command.size(), std::size_t{2});
  CHECK(first.present == std::vector<std::uint32_t>{11});
  CHECK(scan_of(table).changed.empty());
  // The pid is another process's now, with the same environment; a process that starts its program becomes a rank.
  proc.write("11/stat", stat_line(200));
  proc.write("10/environ", "RANK=1\0"s);
  CHECK_EQ(scan_of(table).changed.size(), std::size_t{2});
  std::filesystem::remove_all(proc.path("11"));
  const ProcessScan last = scan_of(table);
  CHECK(last.present == std::vector<std::uint32_t>{10});
  CHECK_EQ(last.refused, std::uint32_t{0});
}

void work() {
  TemporaryFolder proc;
  const std::string shared = "0::/user.slice\n";
  proc.write("10/environ", "PATH=/bin\0"s);
  proc.write("10/cgroup", "0::/system.slice/slurmstepd.scope/job_991/step_0/user/task_0\n");
  proc.write("10/stat", "10 (x) S 3 1 1 0");
  proc.write("10/status", "NSpid:\t10\t7\nUid:\t5\t6\t0\t0\n");
  proc.write("11/environ", "PATH=/bin\0"s);
  proc.write("11/cgroup", shared);
  proc.write("12/environ", "RANK=1\0"s);
  proc.write("12/stat", "12 (x) Z 3 1 1 0");
  proc.write("13/environ", "RANK=1;rm\0HOME=/a b;c\0"s);
  proc.write("13/cgroup", "0::/kubepods/pod1\n");
  const auto table = std::make_shared<ProcessTable>(options_of(proc));
  const ProcessScan first = scan_of(table);
  // A job's group is enough; what has ended is none; a value with odd characters is not handed over, but a path's is.
  CHECK(first.present == (std::vector<std::uint32_t>{10, 13}));
  CHECK_EQ(first.changed[0].parent, std::uint32_t{3});
  CHECK_EQ(first.changed[0].inner_pid, std::uint32_t{7});
  CHECK(first.changed[0].readable && first.changed[0].owner == std::vector<std::uint32_t>{6});
  CHECK(first.changed[0].group.find("job_991") != std::string::npos);
  CHECK(!first.changed[1].values[1] && first.changed[1].values[0] == "/a b;c");
  CHECK(first.writes.empty());
  for (int scans = 0; scans < 5; ++scans) CHECK(scan_of(table).changed.empty());
  // What a driver lists on a device is looked at again, and asked for what it has mapped.
  proc.write("11/maps", "7f00-7f01 r-xp 0 0 0 /usr/lib/libtorch_cpu.so\n");
  const ProcessScan held = scan_of(table, {11});
  CHECK(held.present == (std::vector<std::uint32_t>{10, 11, 13}));
  CHECK_EQ(held.writes.size(), std::size_t{1});
  CHECK(held.writes[0].libraries == std::vector<std::string>{"libtorch"});
}

void wiped() {
  TemporaryFolder proc;
  proc.write("10/environ", "RANK=3\0HOME=/h\0"s);
  proc.write("10/stat", stat_line(100));
  const auto table = std::make_shared<ProcessTable>(options_of(proc));
  CHECK_EQ(scan_of(table).changed.size(), std::size_t{1});
  proc.write("10/environ", "ain: rank 3\0\0\0\0\0"s);
  const ProcessScan after = scan_of(table);
  CHECK(after.changed.empty() && after.present == std::vector<std::uint32_t>{10});
  // Another program of the same process has an environment of its own.
  proc.write("10/environ", "HOME=/other\0"s);
  CHECK(scan_of(table).present.empty());
  // Another process under the number has nothing of the first.
  proc.write("10/environ", "RANK=3\0"s);
  CHECK_EQ(scan_of(table).changed.size(), std::size_t{1});
  std::filesystem::rename(proc.path("10"), proc.path("old"));
  proc.write("10/environ", "\0"s);
  proc.write("10/stat", stat_line(100));
  CHECK(scan_of(table).present.empty());
}

// Reads of one path wait until they are let go.
struct StuckFiles final : ProcessFiles {
  explicit StuckFiles(std::vector<std::string> stuck) : paths(std::move(stuck)) {}
  int read(const std::string& path, std::size_t most, std::string& text) const override {
    for (const std::string& one : paths) {
      if (!path.ends_with(one)) continue;
      ++waiting;
      while (!free) std::this_thread::sleep_for(1ms);
      --waiting;
    }
    return ProcessFiles::read(path, most, text);
  }
  const std::vector<std::string> paths;
  static inline std::atomic<bool> free{false};
  static inline std::atomic<int> waiting{0};
};

void hangs() {
  TemporaryFolder proc;
  for (int pid = 10; pid < 20; ++pid) {
    proc.write(std::to_string(pid) + "/environ", "RANK=" + std::to_string(pid) + std::string(1, '\0'));
  }
  StuckFiles::free = false;
  const auto table = std::make_shared<ProcessTable>(
      options_of(proc), std::make_unique<StuckFiles>(std::vector<std::string>{"/12/environ", "/17/environ"}), 20'000'000);
  const ProcessScan first = scan_of(table);
  CHECK_EQ(first.present.size(), std::size_t{8});
  CHECK_EQ(first.hanging.size(), std::size_t{2});
  // They are not asked again while they wait, and hold up nothing.
  CHECK_EQ(scan_of(table).hanging.size(), std::size_t{2});
  CHECK_EQ(StuckFiles::waiting.load(), 2);
  StuckFiles::free = true;
  while (StuckFiles::waiting > 0) std::this_thread::sleep_for(1ms);
  // What a thread that was left behind read is not taken; the next scan reads it.
  ProcessScan last = scan_of(table);
  for (int tries = 0; last.present.size() < 10 && tries < 100; ++tries) last = scan_of(table);
  CHECK_EQ(last.present.size(), std::size_t{10});
  CHECK(last.hanging.empty());
}

std::string stat_of(int pid, int parent) { return std::to_string(pid) + " (x) S " + std::to_string(parent) + " 1"; }

void opens(TemporaryFolder& proc, int pid, const char* fd, const std::string& target, const char* flags, int inode = 0) {
  const std::string folder = proc.path(std::to_string(pid));
  std::filesystem::create_directories(folder + "/fd");
  std::filesystem::create_symlink(target, folder + "/fd/" + fd);
  proc.write(std::to_string(pid) + "/fdinfo/" + fd, "pos:\t0\nflags:\t" + std::string(flags) + "\nmnt_id:\t9\nino:\t" + std::to_string(inode) + "\n");
}

void writes() {
  TemporaryFolder proc;
  const auto process = [&](int pid, int parent, const std::string& environ, const std::string& group = "0::/user.slice") {
    proc.write(std::to_string(pid) + "/environ", environ);
    proc.write(std::to_string(pid) + "/stat", stat_of(pid, parent));
    proc.write(std::to_string(pid) + "/cgroup", group + "\n");
  };
  const std::string job = "0::/system.slice/slurmstepd.scope/job_991/";
  process(10, 1, "A=1\0"s);
  process(11, 10, "RANK=0\0"s, job + "step_0/task_0");
  process(12, 10, "A=1\0"s);   // reads what 11 prints
  process(13, 1, "A=1\0"s);    // reads what another prints
  process(14, 1, "A=1\0"s, job + "step_batch");
  process(15, 1, "A=1\0"s, "0::/system.slice/slurmstepd.scope/job_992/step_0");
  opens(proc, 11, "1", "pipe:[500]", "01");
  opens(proc, 11, "3", "/own.log", "0100001", 7);
  opens(proc, 11, "4", "/read.only", "0100000", 8);
  opens(proc, 11, "5", "/dev/nvidia0", "02");
  opens(proc, 11, "7", "/dev/infiniband/uverbs1", "02");
  opens(proc, 11, "8", "/dev/infiniband/uverbs0", "02");
  opens(proc, 11, "9", "/dev/infiniband/uverbs1", "02");
  opens(proc, 10, "3", "/dev/infiniband/uverbs5", "02");
  opens(proc, 10, "1", "/launcher.log", "0102001", 9);
  opens(proc, 12, "0", "pipe:[500]", "00");
  opens(proc, 12, "3", "/tee.log", "01", 10);
  opens(proc, 13, "0", "pipe:[501]", "00");
  opens(proc, 13, "3", "/other.log", "01", 11);
  opens(proc, 14, "1", "/srun.log", "02", 12);
  opens(proc, 15, "1", "/foreign.log", "02", 13);
  const auto table = std::make_shared<ProcessTable>(options_of(proc));
  const ProcessScan first = scan_of(table);
  CHECK_EQ(first.writes.size(), std::size_t{1});
  const std::vector<WrittenFile> wanted{{"/own.log", 7, WrittenBy::itself}, {"/launcher.log", 9, WrittenBy::ancestor, true},
                                        {"/tee.log", 10, WrittenBy::pipe}, {"/srun.log", 12, WrittenBy::group, true}};
  CHECK(first.writes[0].files == wanted);
  // What its launcher has open is not its own.
  CHECK(first.writes[0].devices == (std::vector<std::string>{"/dev/infiniband/uverbs0", "/dev/infiniband/uverbs1"}));
  CHECK(scan_of(table).writes.empty());
  opens(proc, 11, "6", "/late.log", "01", 14);
  CHECK_EQ(scan_of(table).writes.size(), std::size_t{1});
}

void groups() {
  CHECK_EQ(own_group("0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n"), "/system.slice/slurmstepd.scope/job_7"s);
  CHECK_EQ(own_group("0::/system.slice/slurmstepd.scope/s0ABCDEFGH1JKM/step_0\n"), "/system.slice/slurmstepd.scope/s0ABCDEFGH1JKM"s);
  CHECK(own_group("0::/system.slice/slurmstepd.scope/system\n").empty());
  CHECK_EQ(own_group("4:memory:/slurm/uid_5/job_7\n"), "/slurm/uid_5/job_7"s);
  CHECK_EQ(own_group("0::/system.slice/docker-0a.scope"), "/system.slice/docker-0a.scope"s);
  for (const char* shared : {"", "0::/", "0::/user.slice/user-1000.slice/session-2.scope", "no path", "\n\n"})
    CHECK(own_group(shared).empty());
}

void too_many() {
  TemporaryFolder proc;
  std::vector<std::string> stuck;
  for (int pid = 10; pid < 30; ++pid) {
    proc.write(std::to_string(pid) + "/environ", "RANK=1\0"s);
    stuck.push_back("/" + std::to_string(pid) + "/environ");
  }
  StuckFiles::free = false;
  const auto table = std::make_shared<ProcessTable>(options_of(proc), std::make_unique<StuckFiles>(stuck), 5'000'000);
  CHECK_EQ(scan_of(table).hanging.size(), std::size_t{4});
  CHECK_EQ(scan_of(table).hanging.size(), std::size_t{4});
  CHECK_EQ(StuckFiles::waiting.load(), 4);
  StuckFiles::free = true;
  while (StuckFiles::waiting > 0) std::this_thread::sleep_for(1ms);
}

// Under its unit the daemon has a namespace of its own over the host's files, and may not look at those of others.
void mounts() {
  const std::string root = "27 1 254:0 / / rw - ext4 /dev/vda rw\n";
  CHECK_EQ(first_mount("22 27 0:21 / /proc rw - proc proc rw\n"s + root), "22 27 0:21 / /proc rw - proc proc rw"s);
  CHECK_EQ(first_mount(std::string(4096, 'x')), ""s);
  CHECK_EQ(root_mount("22 27 0:21 / /proc rw\n"s + root + "9 27 0:5 /a / rw\n10 27 0:6 /b /c rw"), "0:5 /a"s);
  for (const char* odd : {"", "\n\n", "1 2 3 4", "a b c / /x", " / "}) CHECK_EQ(root_mount(odd), ""s);
  TemporaryFolder proc;
  const ProcessFiles files;
  const auto view = [&](const std::string& own) {
    proc.write("self/mountinfo", own);
    proc.write("1/mountinfo", "22 27 0:21 / /proc rw\n" + root);
    proc.write("10/mountinfo", "22 27 0:21 / /proc rw\n" + root);
    proc.write("11/mountinfo", "922 927 0:21 / /proc rw\n927 1 254:0 / / rw\n");
    proc.write("12/mountinfo", "927 1 0:99 / / rw - overlay\n");
    MountView mounts;
    mounts.learn(files, proc.root());
    std::string shared;
    for (const char* pid : {"10", "11", "12", "13"}) shared += mounts.is_shared(files, proc.path(pid)) ? 'y' : 'n';
    return shared;
  };
  // In the host's own namespace the paths are the same; in one that is made of it they need not be, in a container they are not.
  CHECK_EQ(view("500 400 254:0 / / rw,nosuid - ext4 /dev/vda ro\n"), "ynnn"s);
  // In a container of ours, nothing of the host is at its path.
  CHECK_EQ(view("500 400 0:88 / / rw - overlay\n"), "nnnn"s);
  CHECK_EQ(view("500 400 254:0 /var/lib/machines/x / rw\n"), "nnnn"s);
  CHECK_EQ(view(""), "nnnn"s);
}

}  // namespace

int main() {
  test("of procfs only what was asked for is taken, and hostile text is nothing", text);
  test("processes come, start again, become ranks and go", lives);
  test("a job's group, a device that is held and a rank's variables make work; odd values stay here", work);
  test("what a process wrote over its environment does not take its rank away", wiped);
  test("what a process writes is found at itself, its launcher, a reader of its output and its job's group", writes);
  test("a group of its own is a job's or a container's", groups);
  test("a file that hangs is given up, and the others are read", hangs);
  test("where too much hangs no more threads are started", too_many);
  test("paths of a process of the host are those of a service of it", mounts);
  return checks::result();
}
