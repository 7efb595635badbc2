// `faultline-environ` as it runs: what each capability gives it, whom it answers, and what each of its halves cannot do.
#include <sys/mman.h>
#include <sys/utsname.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <random>

#include "core/confine/file_rules.h"
#include "core/confine/rights.h"
#include "core/processes/environ_client.h"
#include "environ/confine.h"
#include "environ_under_test.h"

using namespace faultline;
using namespace faultline::environ_reader;
using checks::test;
using std::string_literals::operator""s;

namespace {

bool kernel_has_perfmon_way() {
  utsname name{};
  uname(&name);
  int major = 0, minor = 0;
  std::sscanf(name.release, "%d.%d", &major, &minor);
  return major > 6 || (major == 6 && minor >= 15);
}

std::string value(const Answer& answer, std::string_view name) {
  for (std::size_t i = 0; i < answer.values.size(); ++i)
    if (allowed::kNames[i] == name) return answer.values[i].value_or("none");
  return "no such name";
}

std::size_t there(const Answer& answer) {
  std::size_t count = 0;
  for (const auto& each : answer.values) count += each ? 1 : 0;
  return count;
}

std::uint64_t effective(pid_t pid) {
  const std::string status = text_of("/proc/" + std::to_string(pid) + "/status");
  return std::strtoull(status.c_str() + status.find("CapPrm:\t") + 8, nullptr, 16);
}

bool has_line(pid_t pid, const std::string& line) {
  return text_of("/proc/" + std::to_string(pid) + "/status").find("\n" + line + "\n") != std::string::npos;
}

constexpr std::uint64_t bit(unsigned capability) { return std::uint64_t{1} << capability; }

// Each set of capabilities, and what comes of it on this kernel.
void ways() {
  const bool perf = kernel_has_perfmon_way();
  const bool landlock = confine::FileRules().possible();
  const Job job({"RANK=3", "API_TOKEN=hush", "HOME=/h"});
  struct Case {
    std::vector<unsigned> given;
    ReaderState state;
    std::uint64_t kept;
    bool lists;
  };
  const ReaderState by_perf = perf ? ReaderState::perfmon : ReaderState::powerless;
  const std::uint64_t both = bit(kDac) | bit(kPerf);
  const std::vector<Case> cases{
      {{kDac, kPerf, kTrace}, perf ? ReaderState::perfmon : ReaderState::ptrace, perf ? both : bit(kDac) | bit(kTrace), true},
      {{kDac, kPerf}, by_perf, perf ? both : 0, false},
      {{kDac, kTrace}, ReaderState::ptrace, bit(kDac) | bit(kTrace), true},
      {{kDac}, ReaderState::powerless, 0, false},
      {{kPerf, kTrace}, ReaderState::powerless, 0, false},
      {{}, ReaderState::powerless, 0, false},
  };
  for (const Case& one : cases) {
    const EnvironUnderTest reader(kProgram, one.given);
    EnvironClient client(reader.path());
    Answer answer;
    CHECK_EQ(client.ask(job.key(), job.start, kWantsVariables | kWantsLibraries | kWantsFiles, answer), 0);
    CHECK(client.state() == one.state);
    CHECK_EQ(client.lists_files(), one.lists);
    CHECK_EQ(answer.head.files_error, one.lists ? 0 : EACCES);
    const bool works = one.state != ReaderState::powerless;
    CHECK_EQ(answer.head.variables_error, works ? 0 : EACCES);
    CHECK_EQ(answer.head.libraries_error, works ? 0 : EACCES);
    CHECK_EQ(value(answer, "RANK"), works ? "3"s : "none"s);
    CHECK_EQ(there(answer), works ? std::size_t{2} : std::size_t{0});
    CHECK_EQ(client.shut_off(), one.state == ReaderState::perfmon && landlock);
    const pid_t half = reader.started().at(0), opener = EnvironUnderTest::opener_of(half);
    CHECK_EQ(effective(half), std::uint64_t{0});
    CHECK_EQ(effective(opener), one.kept);
    const pid_t lister = EnvironUnderTest::lister_of(half);
    CHECK_EQ(effective(lister), one.lists ? bit(kDac) | bit(kTrace) : std::uint64_t{0});
    for (const pid_t pid : {half, opener, lister})
      for (const char* line : {"Seccomp:\t2", "NoNewPrivs:\t1", "CapAmb:\t0000000000000000", "CapInh:\t0000000000000000"}) CHECK(has_line(pid, line));
  }
}

void one_process() {
  const EnvironUnderTest reader(kProgram, {kDac, kPerf, kTrace});
  EnvironClient client(reader.path());
  Answer answer;
  std::string big = "SLURM_JOB_NAME=" + std::string(4000, 'x');
  std::vector<std::string> full{"RANK=5", "junk\xff\x01\n=", "=", "NO_EQUALS", big};
  for (int i = 0; i < 8; ++i) full.push_back("A" + std::to_string(i) + "=" + std::string(100'000, 'y'));
  const Job job(std::move(full));
  CHECK_EQ(client.ask(job.key(), job.start, kWantsVariables, answer), 0);
  CHECK_EQ(value(answer, "RANK"), "5"s);
  CHECK_EQ(there(answer), std::size_t{2});
  // Another process has this number by now, or none has.
  CHECK_EQ(client.ask(job.key(), job.start + 1, kWantsVariables | kWantsLibraries, answer), 0);
  CHECK_EQ(answer.head.variables_error, ESRCH);
  CHECK_EQ(answer.head.libraries_error, ESRCH);
  CHECK_EQ(there(answer), std::size_t{0});
  for (const std::uint32_t pid : {0U, 4'000'000'000U, ~0U}) {
    CHECK_EQ(client.ask(pid, 1, kWantsVariables, answer), 0);
    CHECK_EQ(answer.head.variables_error, ENOENT);
  }
  CHECK_EQ(client.ask(job.key(), job.start, 0, answer), 0);
  CHECK_EQ(there(answer) + answer.head.libraries, std::uint64_t{0});
}

// Processes that end while they are asked about, as fast as it goes: each answer is of the right one, or says that it is gone.
void endings() {
  const EnvironUnderTest reader(kProgram, {kDac, kPerf, kTrace});
  EnvironClient client(reader.path());
  std::size_t answered = 0;
  for (int round = 0; round < 400; ++round) {
    const pid_t pid = fork();
    if (pid == 0) _exit(0);
    const std::uint64_t start = start_ticks(text_of("/proc/" + std::to_string(pid) + "/stat"));
    for (int each = 0; each < 4; ++each) {
      Answer answer;
      if (client.ask(static_cast<std::uint32_t>(pid), start, kWantsVariables | kWantsLibraries, answer) == 0) ++answered;
      if (each == 1) waitpid(pid, nullptr, 0);
    }
  }
  CHECK_EQ(answered, std::size_t{1600});
  CHECK_EQ(reader.started().size(), std::size_t{1});
}

// Its files hang in the kernel, as those of a process on a dead file system: both halves end by themselves, and another pair reads on.
void hanging_half() {
  const EnvironUnderTest reader(kProgram, {kDac, kPerf, kTrace});
  EnvironClient client(reader.path());
  Answer answer;
  const auto self = static_cast<std::uint32_t>(getpid());
  const std::uint64_t start = start_ticks(text_of("/proc/self/stat"));
  CHECK_EQ(client.ask(self, start, 0, answer), 0);
  const pid_t half = reader.started().at(0), opener = EnvironUnderTest::opener_of(half);
  CHECK_EQ(kill(opener, SIGSTOP), 0);
  CHECK_EQ(client.ask(self, start, kWantsVariables, answer), ETIMEDOUT);
  CHECK_EQ(client.ask(self, start, kWantsVariables, answer), ETIMEDOUT);
  CHECK_EQ(client.ask(self, start + 1, kWantsVariables, answer), 0);
  CHECK_EQ(reader.started().size(), std::size_t{2});
  int status = 0;
  CHECK_EQ(waitpid(half, &status, 0), half);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
  for (int tries = 0; tries < 1000 && kill(opener, 0) == 0; ++tries) {
    // A zombie that waits for its parent has ended as well.
    if (text_of("/proc/" + std::to_string(opener) + "/stat").find(") Z ") != std::string::npos) break;
    usleep(10'000);
  }
  CHECK(kill(opener, 0) != 0 || text_of("/proc/" + std::to_string(opener) + "/stat").find(") Z ") != std::string::npos);
}

int connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  CHECK_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

// What is not a request ends the connection and nothing else; one that could be a request is answered.
void hostile_requests() {
  std::mt19937 random(3);
  const EnvironUnderTest reader(kProgram, {kDac, kPerf, kTrace});
  for (int round = 0; round < 60; ++round) {
    const int fd = connect_to(reader.path());
    Request request{.list = allowed::kSum, .pid = static_cast<std::uint32_t>(random()), .wants = static_cast<std::uint32_t>(random()), .start_ticks = random(), .number = 1};
    std::string packet(reinterpret_cast<const char*>(&request), sizeof request);
    const bool whole = round % 3 == 0;
    if (!whole && round % 3 == 1) packet.resize(random() % 200 == 32 ? 41 : random() % 39, 'x');
    if (!whole && round % 3 == 2) packet[random() % 4] ^= 1;
    CHECK_EQ(send(fd, packet.data(), packet.size(), MSG_NOSIGNAL), static_cast<ssize_t>(packet.size()));
    char answer[128];
    const ssize_t count = recv(fd, answer, sizeof answer, 0);
    CHECK(whole ? count >= static_cast<ssize_t>(sizeof(AnswerHead)) : count <= 0);
    close(fd);
  }
  for (const pid_t pid : reader.started()) {
    int status = -1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
  }
}

void others() {
  const EnvironUnderTest reader(kProgram, {kDac, kPerf, kTrace});
  const pid_t pid = fork();
  if (pid == 0) {
    if (!become(kJobUser, {})) _exit(2);
    const int fd = connect_to(reader.path());
    const Request request{.list = allowed::kSum, .pid = 1};
    char answer[128];
    _exit(send(fd, &request, sizeof request, MSG_NOSIGNAL) > 0 && recv(fd, answer, sizeof answer, 0) > 0 ? 1 : 0);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  CHECK_EQ(status, 0);
}

// How a child ends that does this: its status, or the negative number of the signal.
int ends(const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid == 0) {
    confine::limit(4 /* RLIMIT_CORE */, 0);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_exit_group, body());
  }
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

// Each half taken over by whoever wrote what it reads: the kernel ends it at the first call that is not its work.
void taken_over() {
  static char bytes[64];
  struct Attempt {
    const char* what;
    std::function<long()> call;
  };
  const Attempt nobody_may[] = {
      {"seeks", [] { return syscall(SYS_lseek, 0, 4096, SEEK_SET); }},
      {"reads elsewhere", [] { return syscall(SYS_pread64, 0, bytes, 1, 4096); }},
      {"maps", [] { return syscall(SYS_mmap, nullptr, 4096, PROT_READ, MAP_PRIVATE, 0, 0); }},
      {"writes", [] { return syscall(SYS_write, 1, bytes, 1); }},
      {"splices", [] { return syscall(SYS_splice, 0, nullptr, 1, nullptr, 1, 0); }},
      {"traces", [] { return syscall(SYS_ptrace, 0, getppid(), 0, 0); }},
      {"reads memory", [] { return syscall(SYS_process_vm_readv, getppid(), nullptr, 0, nullptr, 0, 0); }},
      {"signals", [] { return syscall(SYS_kill, getppid(), 0); }},
      {"opens a socket", [] { return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0); }},
      {"starts a program", [] { return syscall(SYS_execve, "/bin/true", nullptr, nullptr); }},
      {"starts a process", [] { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }},
      {"changes its rights", [] { return syscall(SYS_capset, nullptr, nullptr); }},
      {"opens by a newer call", [] { return syscall(437, AT_FDCWD, "/etc/passwd", bytes, 24); }},
  };
  for (const auto half : {allow_opening_only, allow_listing_only, allow_reading_only})
    for (const Attempt& attempt : nobody_may) {
      const int ended = ends([&] { return half() ? (attempt.call(), 0) : 1; });
      if (ended != -SIGSYS) std::printf("  %s\n", attempt.what);
      CHECK_EQ(ended, -SIGSYS);
    }
  const auto open = [](const char* path, int flags) { return syscall(SYS_openat, AT_FDCWD, path, flags, 0600); };
  CHECK_EQ(ends([&] { return allow_opening_only() && open("/proc/self/stat", kOpenFlags) >= 0 ? 0 : 1; }), 0);
  CHECK_EQ(ends([&] { return allow_opening_only() ? static_cast<int>(syscall(SYS_read, open("/proc/self/stat", kOpenFlags), bytes, 1)) : 1; }), -SIGSYS);
  CHECK_EQ(ends([&] { return allow_listing_only() && open("/proc/self/stat", O_PATH | O_CLOEXEC) >= 0 ? 0 : 1; }), 0);
  CHECK_EQ(ends([&] { return allow_listing_only() ? static_cast<int>(syscall(SYS_read, open("/proc/self/stat", kOpenFlags), bytes, 1)) : 1; }), -SIGSYS);
  for (const int flags : {O_WRONLY | O_CLOEXEC, O_RDWR | O_CLOEXEC, O_CREAT | O_CLOEXEC, kOpenFlags | O_TRUNC, O_RDONLY, O_TMPFILE | O_CLOEXEC})
    CHECK_EQ(ends([&] { return allow_listing_only() && open("/dev/null", flags) < 0 && errno == EPERM ? 0 : 1; }), 0);
  for (const int flags : {O_WRONLY, O_RDWR, O_RDONLY | O_CREAT, kOpenFlags | O_TRUNC, kOpenFlags | O_WRONLY, O_PATH})
    CHECK_EQ(ends([&] { return allow_opening_only() && open("/dev/null", flags) < 0 && errno == EPERM ? 0 : 1; }), 0);
  CHECK_EQ(ends([&] { return allow_reading_only() ? static_cast<int>(open("/proc/self/stat", kOpenFlags)) : 1; }), -SIGSYS);
  // Memory of a process, if it were handed from one half to the other, begins at an address that is not there.
  CHECK_EQ(ends([&] {
             const int memory = static_cast<int>(open("/proc/self/mem", kOpenFlags));
             return memory >= 0 && allow_reading_only() && syscall(SYS_read, memory, bytes, 1) < 0 && errno == EIO ? 0 : 1;
           }),
           0);
}

// Where the kernel holds the opener to procfs, its right opens nothing else, by no way around.
void held_to_procfs() {
  if (!kRoot || !kernel_has_perfmon_way() || !confine::FileRules().possible()) return;
  const Job job({"RANK=1"});
  const std::string folder = "/proc/" + std::to_string(job.pid);
  CHECK_EQ(ends([&] {
             if (!become(kReaderUser, {kDac, kPerf, kTrace}) || !confine::hide_memory()) return 2;
             const OpenerRights rights = settle_rights(job.pid);
             if (rights.way != kPerfmon || rights.shut_off != 1) return 3;
             for (const std::string& path : {"/etc/shadow"s, "/etc/passwd"s, folder + "/root/etc/passwd", folder + "/cwd", folder + "/mem", "/proc/1/root/etc/passwd"s})
               if (::open(path.c_str(), kOpenFlags & ~O_NOFOLLOW) >= 0 || errno != EACCES) return 4;
             return ::open((folder + "/environ").c_str(), kOpenFlags) >= 0 && ::open((folder + "/maps").c_str(), kOpenFlags) >= 0 ? 0 : 5;
           }),
           0);
}

void started_wrongly() {
  CHECK_EQ(ends([] { return execl(kProgram.c_str(), "faultline-environ", nullptr), 1; }), 64);
  CHECK_EQ(ends([] { return execl(kProgram.c_str(), "faultline-environ", "--help", nullptr), 1; }), 64);
}

}  // namespace

int main() {
  if (kRoot) test("each capability gives what it is for, and what is not needed is given up", ways);
  else std::puts("not root: what each capability gives is not tried");
  if (kRoot) test("of one process the allow-list is answered, and of another under its number nothing", one_process);
  test("processes that end while they are asked about hold up nothing", endings);
  test("a process whose files hang ends both halves, and the next pair reads on", hanging_half);
  test("what is not a request ends its connection alone", hostile_requests);
  if (kRoot) test("whom the socket does not belong to is not answered", others);
  test("each half has no call but those of its work", taken_over);
  test("the half with the right opens nothing outside of procfs", held_to_procfs);
  test("started by hand it says how it is started", started_wrongly);
  return checks::result();
}
