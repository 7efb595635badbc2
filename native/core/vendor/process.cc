// Starts and ends vendor children.
#include "core/vendor/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/clock.h"
#include "core/vendor/protocol.h"

namespace faultline {
namespace {

// Of the daemon's environment the child sees only what finds the library.
constexpr const char* kPassedOn[]{"PATH", "LD_LIBRARY_PATH", "FAULTLINE_FAKE_NVML"};
// dup2 to the same number would keep close-on-exec, so what is passed lies above both targets first.
constexpr int kLowestOwnFd = 10;

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& each : strings) result.push_back(each.data());
  result.push_back(nullptr);
  return result;
}

int above_targets(int fd) {
  if (fd < 0 || fd >= kLowestOwnFd) return fd;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, kLowestOwnFd);
  close(fd);
  return moved;
}

}  // namespace

std::vector<std::string> vendor_environment() {
  std::vector<std::string> result;
  for (const char* name : kPassedOn) {
    if (const char* value = std::getenv(name)) result.push_back(std::string(name) + "=" + value);
  }
  return result;
}

std::unique_ptr<VendorProcess> VendorProcess::start(const VendorSpawn& spawn, std::string& why) {
  std::unique_ptr<VendorProcess> process(new VendorProcess);
  if (!process->prepare_memory(spawn.orders.interval_ns, why) || !process->spawn(spawn, why)) return nullptr;
  return process;
}

bool VendorProcess::prepare_memory(std::int64_t interval_ns, std::string& why) {
  ring_fd_ = above_targets(memfd_create("faultline-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  wake_fd_ = above_targets(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (ring_fd_ < 0 || wake_fd_ < 0 || ftruncate(ring_fd_, sizeof(RingLayout)) != 0) {
    why = std::string("shared memory: ") + std::strerror(errno);
    return false;
  }
  // A child that cut the file would give the daemon a SIGBUS.
  if (fcntl(ring_fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    why = std::string("sealing the shared memory: ") + std::strerror(errno);
    return false;
  }
  void* memory = mmap(nullptr, sizeof(RingLayout), PROT_READ | PROT_WRITE, MAP_SHARED, ring_fd_, 0);
  if (memory == MAP_FAILED) {
    why = std::string("mapping the shared memory: ") + std::strerror(errno);
    return false;
  }
  ring_ = static_cast<RingLayout*>(memory);
  ring_format(*ring_, interval_ns);
  started_ns_ = monotonic_now();
  reader_ = std::make_unique<RingReader>(*ring_, started_ns_);
  return true;
}

bool VendorProcess::spawn(const VendorSpawn& spawn, std::string& why) {
  std::vector<std::string> arguments{spawn.executable, spawn.library, std::to_string(getpid()), spawn.orders.devices};
  std::vector<std::string> variables = spawn.environment;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&files, 0, 1);
  posix_spawn_file_actions_adddup2(&files, 0, 2);
  posix_spawn_file_actions_adddup2(&files, ring_fd_, kRingFd);
  posix_spawn_file_actions_adddup2(&files, wake_fd_, kWakeFd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawn(&pid_, spawn.executable.c_str(), &files, &attributes, pointers(arguments).data(),
                                pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    pid_ = -1;
    why = spawn.executable + ": " + std::strerror(error);
    return false;
  }
#ifdef SYS_pidfd_open
  pid_fd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));  // close-on-exec by definition
#endif
  close(ring_fd_);
  ring_fd_ = -1;
  return true;
}

VendorProcess::~VendorProcess() {
  reader_.reset();
  if (ring_ != nullptr) munmap(ring_, sizeof(RingLayout));
  for (const int fd : {ring_fd_, wake_fd_, pid_fd_}) {
    if (fd >= 0) close(fd);
  }
}

std::int64_t VendorProcess::now_ns() const { return monotonic_now(); }

void VendorProcess::acknowledge() {
  std::uint64_t rung = 0;
  [[maybe_unused]] const auto got = read(wake_fd_, &rung, sizeof rung);
}

void VendorProcess::set_interval(std::int64_t interval_ns) {
  ring_->interval_ns.store(interval_ns, std::memory_order_release);
  // Before the child has blocked the signal it would end it; it reads the interval at its first round anyway.
  if (reader_->ticks() > 0) signal(SIGUSR1);
}

void VendorProcess::signal(int number) {
  if (pid_ > 0) kill(pid_, number);  // not reaped yet, so the number is still this child's
}

bool VendorProcess::reap(int& status) {
  if (pid_ <= 0) return false;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  if (ended < 0) status = 0;  // other code took the status; the process is gone all the same
  pid_ = -1;
  return true;
}

}  // namespace faultline
