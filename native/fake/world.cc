// Follows the control file and acts out what it asks for.
#include "fake/world.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

#include "vendor/nvml/abi.h"

namespace faultline::fake {
namespace {

constexpr std::int64_t kLookEveryNs = 2'000'000;
constexpr std::size_t kLargestFile = 1 << 20;

std::int64_t monotonic() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// Next to the file that was loaded, so that several stand-ins can live on one machine.
std::string control_path() {
  if (const char* given = std::getenv("FAULTLINE_FAKE_NVML")) return given;
  Dl_info info{};
  std::string path = "nvml.control";
  if (dladdr(reinterpret_cast<void*>(&control_path), &info) != 0 && info.dli_fname != nullptr) {
    const std::string file = info.dli_fname;
    path = file.substr(0, file.rfind('/') + 1) + path;
  }
  return path;
}

std::string read_file(int fd) {
  std::string text;
  char buffer[16384];
  for (ssize_t got; text.size() < kLargestFile && (got = read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

[[noreturn]] void hang() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  for (;;) pause();
}

void crash() {
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
}

void advance(Counters& counters, const Gpu& gpu, std::int64_t now) {
  const std::int64_t passed = counters.updated_ns == 0 || now < counters.updated_ns ? 0 : now - counters.updated_ns;
  counters.updated_ns += counters.updated_ns == 0 ? now : passed;
  counters.energy_mj += static_cast<double>(gpu.power_mw) * static_cast<double>(passed) * 1e-9;
  const auto add = [&](unsigned long long& counter, unsigned long long bit) {
    if ((gpu.reasons & bit) != 0) counter += static_cast<unsigned long long>(passed);
  };
  add(counters.power_cap_ns, nvml::kReasonSwPowerCap);
  add(counters.sw_thermal_ns, nvml::kReasonSwThermalSlowdown);
  add(counters.hw_thermal_ns, nvml::kReasonHwThermalSlowdown);
  add(counters.power_brake_ns, nvml::kReasonHwPowerBrakeSlowdown);
}

}  // namespace

World& World::instance() {
  static World* world = new World;  // never destroyed: threads may hang in it at exit
  return *world;
}

World::World() : path_(control_path()), state_(parse_control("")) {}

void World::refresh() {
  const std::int64_t now = monotonic();
  if (now - looked_ns_ < kLookEveryNs) return;
  looked_ns_ = now;
  struct stat status {};
  const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (fstat(fd, &status) == 0) {
    const std::int64_t changed = status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
    const auto inode = static_cast<std::int64_t>(status.st_ino);
    if (changed != changed_ns_ || inode != inode_ || status.st_size != size_) {
      for (std::size_t i = 0; i < state_.gpus.size(); ++i) advance(counters_[i], state_.gpus[i], now);
      changed_ns_ = changed;
      inode_ = inode;
      size_ = status.st_size;
      state_ = parse_control(read_file(fd));
    }
  }
  close(fd);
}

int World::place_of(unsigned handle) const {
  if (handle == 0 || handle > handles_.size()) return -1;
  // Mostly it is where it was.
  if (handle <= state_.gpus.size() && state_.gpus[handle - 1].pci == handles_[handle - 1]) return static_cast<int>(handle - 1);
  for (std::size_t at = 0; at < state_.gpus.size(); ++at) {
    if (state_.gpus[at].pci == handles_[handle - 1]) return static_cast<int>(at);
  }
  return -1;
}

unsigned World::handle_of(unsigned index) {
  const std::lock_guard lock(mutex_);
  if (index >= state_.gpus.size()) return 0;
  const std::string& pci = state_.gpus[index].pci;
  std::size_t at = 0;
  while (at < handles_.size() && handles_[at] != pci) ++at;
  if (at == handles_.size()) handles_.push_back(pci);
  return static_cast<unsigned>(at + 1);
}

int World::index_of(unsigned handle) {
  const std::lock_guard lock(mutex_);
  return place_of(handle);
}

int World::enter(const char* symbol, int index, unsigned handle) {
  CallFault fault;
  int gpu_error = 0;
  {
    const std::lock_guard lock(mutex_);
    refresh();
    if (handle != 0) index = place_of(handle);
    if (!has_symbol(state_.branch, symbol)) return nvml::kFunctionNotFound;
    if (const auto found = state_.calls.find(symbol); found != state_.calls.end()) fault = found->second;
    if (index >= 0 && static_cast<std::size_t>(index) < state_.gpus.size()) {
      const Gpu& gpu = state_.gpus[static_cast<std::size_t>(index)];
      gpu_error = gpu.error;
      fault.hang |= gpu.hang;
      fault.crash |= gpu.crash;
    }
  }
  if (fault.delay_ms > 0) {
    const timespec wait{fault.delay_ms / 1000, static_cast<long>(fault.delay_ms % 1000) * 1'000'000};
    nanosleep(&wait, nullptr);
  }
  if (fault.crash) crash();
  if (fault.hang) hang();
  return fault.error != 0 ? fault.error : gpu_error;
}

std::size_t World::count() {
  const std::lock_guard lock(mutex_);
  return state_.gpus.size();
}

std::string World::driver() {
  const std::lock_guard lock(mutex_);
  return state_.driver;
}

EventScript World::system_event() {
  const std::lock_guard lock(mutex_);
  refresh();
  return state_.system_event;
}

bool World::gpu(int index, Gpu& out, Counters& counters, unsigned handle) {
  const std::lock_guard lock(mutex_);
  refresh();
  if (handle != 0) index = place_of(handle);
  if (index < 0 || static_cast<std::size_t>(index) >= state_.gpus.size()) return false;
  const auto at = static_cast<std::size_t>(index);
  const std::int64_t now = monotonic();
  const std::int64_t refresh_ns = std::int64_t{state_.gpus[at].refresh_ms} * 1'000'000;
  advance(counters_[at], state_.gpus[at], refresh_ns == 0 ? now : now - now % refresh_ns);
  out = state_.gpus[at];
  counters = counters_[at];
  return true;
}

bool World::initialised() {
  const std::lock_guard lock(mutex_);
  return users_ > 0;
}

void World::initialise(int by) {
  const std::lock_guard lock(mutex_);
  users_ = users_ + by < 0 ? 0 : users_ + by;
}

}  // namespace faultline::fake
