// The real `faultline-environ` on a socket of the test's own, with the capabilities that the test gives it, and processes to ask about.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "core/processes/process_files.h"
#include "temporary_folder.h"

namespace faultline {

inline const std::string kProgram = FAULTLINE_BUILT "/faultline-environ";
inline const bool kRoot = geteuid() == 0;
inline constexpr unsigned kDac = CAP_DAC_READ_SEARCH, kTrace = CAP_SYS_PTRACE, kPerf = 38;
inline constexpr uid_t kReaderUser = 65534, kJobUser = 54'321;

inline std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// For a forked child: another user with these capabilities, which the next program has too.
inline bool become(uid_t user, const std::vector<unsigned>& capabilities) {
  if (geteuid() != 0) return true;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2]{};
  for (const unsigned each : capabilities) sets[each / 32].permitted |= 1U << (each % 32);
  for (auto& set : sets) set.effective = set.inheritable = set.permitted;
  if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || setgroups(0, nullptr) != 0 || setresgid(user, user, user) != 0 ||
      setresuid(user, user, user) != 0 || syscall(SYS_capset, &header, sets) != 0)
    return false;
  for (const unsigned each : capabilities)
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, each, 0, 0) != 0) return false;
  return true;
}

// A process of another user, where the test is root.
class Job {
 public:
  // `output`: descriptor of ours that is its standard output, and its standard error is none; it keeps ours otherwise.
  explicit Job(std::vector<std::string> environment, int output = -1) {
    pid = fork();
    if (pid == 0) {
      if (output >= 0 && (dup2(output, 1) < 0 || dup2(open("/dev/null", O_RDWR), 2) < 0)) _exit(2);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      std::vector<char*> variables;
      for (std::string& each : environment) variables.push_back(each.data());
      variables.push_back(nullptr);
      char name[] = "sleep", time[] = "60";
      char* arguments[] = {name, time, nullptr};
      if (become(kJobUser, {})) execve("/bin/sleep", arguments, variables.data());
      _exit(1);
    }
    // Until then it is a copy of this test.
    while (text_of("/proc/" + std::to_string(pid) + "/comm") != "sleep\n" && kill(pid, 0) == 0) usleep(1000);
    start = start_ticks(text_of("/proc/" + std::to_string(pid) + "/stat"));
  }
  ~Job() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  std::uint32_t key() const { return static_cast<std::uint32_t>(pid); }

  pid_t pid = -1;
  std::uint64_t start = 0;
};

class EnvironUnderTest {
 public:
  EnvironUnderTest(std::string program, std::vector<unsigned> capabilities)
      : path_(folder_.path("socket")), program_(std::move(program)), capabilities_(std::move(capabilities)) {
    chmod(folder_.root().c_str(), 0711);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path, path_.data(), path_.size());
    listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    CHECK_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    chmod(path_.c_str(), 0666);
    CHECK_EQ(listen(listener_, 4), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~EnvironUnderTest() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
    for (const pid_t pid : started()) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
  EnvironUnderTest(const EnvironUnderTest&) = delete;
  EnvironUnderTest& operator=(const EnvironUnderTest&) = delete;

  const std::string& path() const { return path_; }
  std::vector<pid_t> started() const {
    const std::lock_guard lock(mutex_);
    return started_;
  }
  // Of the parts that open and that list: the children of the last one that was started.
  static pid_t opener_of(pid_t reader) { return std::atoi(children_of(reader).c_str()); }
  static pid_t lister_of(pid_t reader) {
    const std::string children = children_of(reader);
    return std::atoi(children.c_str() + std::min(children.find(' '), children.size() - 1));
  }

 private:
  static std::string children_of(pid_t reader) {
    return text_of("/proc/" + std::to_string(reader) + "/task/" + std::to_string(reader) + "/children");
  }
  void serve() {
    for (;;) {
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      const pid_t pid = fork();
      if (pid == 0) {
        char* arguments[] = {program_.data(), nullptr};
        char* environment[] = {nullptr};
        if (dup2(connection, 0) == 0 && become(kReaderUser, capabilities_)) execve(program_.c_str(), arguments, environment);
        _exit(1);
      }
      close(connection);
      const std::lock_guard lock(mutex_);
      started_.push_back(pid);
    }
  }

  TemporaryFolder folder_;
  const std::string path_;
  std::string program_;
  const std::vector<unsigned> capabilities_;
  mutable std::mutex mutex_;
  std::vector<pid_t> started_;
  int listener_ = -1;
  std::thread thread_;
};

}  // namespace faultline
