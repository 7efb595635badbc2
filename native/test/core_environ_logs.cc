// `faultline-environ` as it runs: which files a process has open, and whose log, the one that it prints into, is lent.
#include <algorithm>
#include <cstdio>

#include "core/processes/environ_client.h"
#include "core/processes/printed_log.h"
#include "environ_under_test.h"

using namespace faultline;
using namespace faultline::environ_reader;
using checks::test;
using std::string_literals::operator""s;

namespace {

// A file of this test's folder, as that user has it open.
struct Output {
  Output(const TemporaryFolder& folder, const char* name, uid_t owner, mode_t mode, int flags = O_WRONLY | O_APPEND) : path(folder.path(name)) {
    const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK_EQ(::write(made, "step 1\n", 7), ssize_t{7});
    CHECK_EQ(::fchown(made, owner, owner), 0);
    CHECK_EQ(::fchmod(made, mode), 0);
    ::close(made);
    fd = ::open(path.c_str(), flags | O_CLOEXEC);
    struct stat file {};
    ::fstat(fd, &file);
    inode = file.st_ino;
  }
  ~Output() { ::close(fd); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::string path;
  int fd = -1;
  std::uint64_t inode = 0;
};

// What a process has open is named, and the log that it prints into handed over, where it is one.
void open_logs() {
  const EnvironUnderTest reader(kProgram, {kDac, kPerf, kTrace});
  EnvironClient client(reader.path());
  HelpedFiles files(reader.path());
  TemporaryFolder folder;
  Answer answer;
  const auto lent = [&](const Job& job, std::uint64_t inode) {
    const int error = client.ask(job.key(), job.start, kWantsLog, answer, inode);
    CHECK_EQ(error, 0);
    return answer.head.log_error;
  };
  {
    const Output log(folder, "own.log", kJobUser, 0600);
    const Job job({"RANK=1"}, log.fd);
    CHECK_EQ(client.ask(job.key(), job.start, kWantsFiles, answer), 0);
    CHECK_EQ(answer.head.files_error, 0);
    const auto written = std::ranges::find(answer.files, log.path, &OpenFile::text);
    CHECK(written != answer.files.end() && written->is == (kWritten | kOutput) && written->inode == log.inode);
    CHECK(!answer.log);
    CHECK_EQ(lent(job, log.inode), 0);
    char text[16];
    CHECK_EQ(::pread(answer.log.get(), text, sizeof text, 0), ssize_t{7});
    CHECK_EQ(::fcntl(answer.log.get(), F_GETFL) & O_ACCMODE, O_RDONLY);
    CHECK(::write(answer.log.get(), "x", 1) < 0);
    CHECK_EQ(lent(job, log.inode + 1), ENOENT);
    // Another process under the number.
    CHECK_EQ(client.ask(job.key(), job.start + 1, kWantsLog | kWantsFiles, answer, log.inode), 0);
    CHECK_EQ(answer.head.log_error, ESRCH);
    CHECK(!answer.log);
    CHECK_EQ(answer.files.size(), std::size_t{0});
    // What we may open ourselves the reader is not asked for; all others it is.
    Descriptor own(files.lend_log("/proc/" + std::to_string(job.pid), {job.key(), job.start}, log.inode));
    CHECK(own.get() >= 0);
  }
  {
    const Output theirs(folder, "others.log", 0, 0644);
    const Job job({"RANK=1"}, theirs.fd);
    CHECK_EQ(lent(job, theirs.inode), 0);
  }
  {
    // It may write it, and could not read it.
    const Output drop(folder, "drop", 0, 0622);
    const Job job({"RANK=1"}, drop.fd);
    CHECK_EQ(lent(job, drop.inode), EACCES);
    CHECK(!answer.log);
  }
  {
    const Output reads(folder, "reads", kJobUser, 0600, O_RDONLY);
    const Job job({"RANK=1"}, reads.fd);
    CHECK_EQ(lent(job, reads.inode), ENOENT);
  }
  for (const char* path : {"/dev/null", "/proc/self/oom_score_adj", "/proc/self/comm"}) {
    const int fd = ::open(path, O_RDWR | O_CLOEXEC);
    const Job job({"RANK=1"}, fd);
    ::close(fd);
    CHECK_EQ(lent(job, 0), ENOENT);
    CHECK_EQ(client.ask(job.key(), job.start, kWantsFiles, answer), 0);
    CHECK(std::ranges::none_of(answer.files, [](const OpenFile& one) { return (one.is & kOutput) != 0; }));
  }
  {
    int ends_of_pipe[2];
    CHECK_EQ(pipe2(ends_of_pipe, O_CLOEXEC), 0);
    const Job job({"RANK=1"}, ends_of_pipe[1]);
    CHECK_EQ(lent(job, 0), ENOENT);
    CHECK_EQ(client.ask(job.key(), job.start, kWantsFiles, answer), 0);
    const auto pipe = std::ranges::find(answer.files, std::uint16_t{kOutputPipe}, &OpenFile::is);
    CHECK(pipe != answer.files.end() && pipe->text.starts_with("pipe:["));
    for (const int fd : ends_of_pipe) ::close(fd);
  }
  // A burst is a node full of ranks; what asks without end is made to wait.
  const Output log(folder, "much.log", kJobUser, 0600);
  const Job job({"RANK=1"}, log.fd);
  int granted = 0;
  for (int each = 0; each < 400; ++each) granted += lent(job, log.inode) == 0 ? 1 : 0;
  CHECK(granted >= 100 && granted < 400);
  CHECK_EQ(lent(job, log.inode), EAGAIN);
}

// What it prints into changes all the time, between its own file and one that it may only write.
void changing_output() {
  const EnvironUnderTest reader(kProgram, {kDac, kPerf, kTrace});
  EnvironClient client(reader.path());
  TemporaryFolder folder;
  const Output own(folder, "own", kJobUser, 0600), drop(folder, "drop", 0, 0622);
  int ready[2];
  CHECK_EQ(pipe2(ready, O_CLOEXEC), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!become(kJobUser, {}) || dup2(own.fd, 1) < 0 || dup2(::open("/dev/null", O_RDWR), 2) < 0 || prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) _exit(1);
    if (::write(ready[1], "x", 1) != 1) _exit(1);
    for (;;)
      for (const int fd : {drop.fd, own.fd}) dup2(fd, 1);
  }
  char byte = 0;
  CHECK_EQ(::read(ready[0], &byte, 1), ssize_t{1});
  const std::uint64_t start = start_ticks(text_of("/proc/" + std::to_string(pid) + "/stat"));
  int granted = 0;
  int refused = 0;
  for (int each = 0; each < 100; ++each) {
    Answer answer;
    CHECK_EQ(client.ask(static_cast<std::uint32_t>(pid), start, kWantsLog, answer), 0);
    struct stat file {};
    if (!answer.log) {
      ++refused;
      CHECK(answer.head.log_error == EACCES || answer.head.log_error == ENOENT);
    } else if (::fstat(answer.log.get(), &file) == 0 && file.st_ino == own.inode) ++granted;
  }
  CHECK_EQ(granted + refused, 100);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  for (const int fd : ready) ::close(fd);
}

// By owner and mode, and only of a process that runs by the rights of one user.
void who_may_read() {
  struct stat file {};
  file.st_uid = 1000;
  file.st_mode = S_IFREG | 0600;
  const auto may = [&](const char* ids) { return may_read_log("Name:\tx\nUid:\t"s + ids + "\nGid:\t0\t0\t0\t0\n", file); };
  CHECK(may("1000\t1000\t1000\t1000"));
  CHECK(!may("1001\t1001\t1001\t1001"));
  CHECK(!may("0\t0\t0\t0"));
  for (const char* mixed : {"1001\t1000\t1000\t1000", "1000\t1000\t1000\t0", "1000\t0\t1000\t1000", "1000\t1000", "", "x"}) CHECK(!may(mixed));
  CHECK(!may_read_log("", file));
  file.st_mode |= S_IROTH;
  CHECK(may("1001\t1001\t1001\t1001"));
  CHECK(!may("1001\t0\t1001\t1001"));
}

}  // namespace

int main() {
  if (kRoot) test("the log that a process prints into is handed over where it is a file that its user may read", open_logs);
  if (kRoot) test("a process that changes what it prints into is lent no file that it may only write", changing_output);
  else std::puts("not root: what is lent of processes of other users is not tried");
  test("who may read a log is decided by the user that all of a process is", who_may_read);
  return checks::result();
}
