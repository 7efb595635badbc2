// Each shape of attack in the real reader process: it ends, says why, and its measured peak stays within four times the file
// and 8 MiB besides what a small dump takes.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <fstream>
#include <functional>

#include "test/check.h"
#include "test/flight_recorder_jobs.h"
#include "test/flight_recorder_shapes.h"
#include "test/temporary_folder.h"

namespace {

constexpr long MIB = 1 << 20;

struct Ended {
  int status = -1;
  long peak_kib = 0;
  std::string said;
};

// The peak that wait4 tells is that of the larger of the reader's two processes. It includes what this process held before
// exec, so this one stays small: files are written by their own processes.
Ended run(const std::string& path) {
  int in[2], out[2];
  Ended ended;
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) return ended;
  const std::string parent = std::to_string(getpid());
  const pid_t child = fork();
  if (child == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    execl(FAULTLINE_BUILT "/faultline-fr", "faultline-fr", parent.c_str(), nullptr);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  if (write(in[1], path.c_str(), path.size() + 1) < 0) ended.said = "no write";
  close(in[1]);
  char buffer[4096];
  for (ssize_t got = 0; (got = read(out[0], buffer, sizeof buffer)) > 0;) {
    if (ended.said.size() < 65536) ended.said.append(buffer, static_cast<std::size_t>(got));
  }
  close(out[0]);
  struct rusage usage {};
  int status = 0;
  if (wait4(child, &status, 0, &usage) != child) return ended;
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ended.peak_kib = usage.ru_maxrss;
  return ended;
}

void written(const std::string& path, const std::function<std::string()>& made) {
  const pid_t child = fork();
  if (child == 0) {
    std::ofstream(path, std::ios::binary) << made();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

bool says(const Ended& ended, std::string_view what) { return ended.said.find(what) != std::string::npos; }

}  // namespace

int main() {
  const faultline::TemporaryFolder folder;
  const std::string path = folder.path("nccl_trace_rank_0");
  written(path, [] { return dialects::written(jobs::dump(0, jobs::FORMATS[0]), dialects::Dialect::c10); });
  const Ended small = run(path);
  checks::test("a small dump is read", [&] {
    CHECK_EQ(small.status, 0);
    CHECK(says(small, "\"dumps_count\":1"));
  });
  for (const shapes::Shape& shape : shapes::ALL) {
    checks::test(shape.name, [&] {
      written(path, shape.made);
      struct stat status {};
      CHECK_EQ(stat(path.c_str(), &status), 0);
      const Ended ended = run(path);
      CHECK_EQ(ended.status, 0);
      CHECK(says(ended, "faultline/fr/1"));
      CHECK(says(ended, shape.says));
      if (!says(ended, shape.says)) std::printf("  said: %.600s\n", ended.said.c_str());
      const long peak = (ended.peak_kib - small.peak_kib) * 1024;
      std::printf("     %8.2f MiB of file, %8.2f MiB of peak\n", double(status.st_size) / MIB, double(peak) / MIB);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
      CHECK(peak <= 4 * status.st_size + 8 * MIB);
#endif
    });
  }
  checks::test("what is not a plain file of bounded size is refused without a wait", [&] {
    const auto refused = [&](const std::string& at, std::string_view why) {
      const Ended ended = run(at);
      CHECK_EQ(ended.status, 0);
      CHECK(says(ended, why));
      CHECK((ended.peak_kib - small.peak_kib) * 1024 <= 8 * MIB);
    };
    const std::string other = folder.path("rank_1");
    CHECK_EQ(symlink(path.c_str(), other.c_str()), 0);
    refused(other, "is a symbolic link");
    unlink(other.c_str());
    CHECK_EQ(mkfifo(other.c_str(), 0600), 0);
    refused(other, "is not a plain file");
    unlink(other.c_str());
    refused("/dev/zero", "is not a plain file");
    const int sparse = open(other.c_str(), O_CREAT | O_WRONLY, 0600);
    CHECK_EQ(ftruncate(sparse, off_t{1} << 40), 0);
    refused(other, "is larger than 64 MiB");
    CHECK_EQ(ftruncate(sparse, 0), 0);
    refused(other, "is empty");
    close(sparse);
    // Says that it is empty and is not.
    const Ended proc = run("/proc/self/maps");
    CHECK_EQ(proc.status, 0);
  });
  checks::test("a file that grows, shrinks and is written over while it is read gives an answer each time", [&] {
    const pid_t writer = fork();
    if (writer == 0) {
      const std::string whole = dialects::written(jobs::dump(2, jobs::FORMATS[0]), dialects::Dialect::c10);
      for (unsigned round = 0;; ++round) {
        const int fd = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
        for (std::size_t at = 0; at < whole.size(); at += 97) {
          if (write(fd, whole.data() + at, std::min<std::size_t>(97, whole.size() - at)) < 0) _exit(1);
        }
        close(fd);
      }
    }
    for (int i = 0; i < 50; ++i) {
      const Ended ended = run(path);
      CHECK_EQ(ended.status, 0);
      CHECK(says(ended, "faultline/fr/1"));
    }
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
  });
  return checks::result();
}
