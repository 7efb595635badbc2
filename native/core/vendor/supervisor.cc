// The supervisor's loop; its decisions are in succession.cc, processes in process.cc and endings.cc.
#include "core/vendor/supervisor.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/clock.h"
#include "core/confine/rights.h"
#include "core/vendor/process.h"

namespace faultline {
namespace {

constexpr std::int64_t kLateNs = 500'000'000;

void watch(int epoll_fd, int fd, std::uint32_t how = 0) {
  if (fd < 0) return;
  epoll_event event{};
  event.events = EPOLLIN | how;
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

VendorSupervisor::VendorSupervisor(std::shared_ptr<Sink> sink, VendorLinkOptions options)
    : options_(std::move(options)), environment_(vendor_environment()), report_(std::move(sink)),
      succession_(report_, options_,
                  {[this](const ChildOrders& orders, std::string& why) { return start(orders, why); },
                   [this](VendorChild& child) { epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, child.wake_fd(), nullptr); }}) {
  epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  command_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  watch(epoll_fd_, command_fd_);
}

VendorSupervisor::~VendorSupervisor() {
  close(epoll_fd_);
  close(command_fd_);
}

template <typename Apply>
void VendorSupervisor::command(Apply apply) {
  {
    const std::lock_guard lock(mutex_);
    apply(commands_);
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(command_fd_, &one, sizeof one);
}

void VendorSupervisor::stop() {
  report_.close();
  command([](Commands& commands) { commands.stop = true; });
}

void VendorSupervisor::burst(std::int64_t duration_ns) {
  command([=](Commands& commands) { commands.burst_ns = duration_ns; });
}

void VendorSupervisor::release(std::int64_t duration_ns, std::string traceparent) {
  command([&](Commands& commands) {
    commands.release_ns = duration_ns;
    commands.traceparent = std::move(traceparent);
  });
}

void VendorSupervisor::run() {
  // Of this thread alone: the children that it starts are born without the service's capabilities.
  confine::start_without_capabilities();
  std::int64_t now = monotonic_now();
  for (;;) {
    obey(now);
    succession_.serve(now);
    pid_ = succession_.pid();
    if (succession_.over()) return;
    const std::int64_t due = succession_.next_due_ns(now);
    const std::int64_t wait_ms = std::clamp<std::int64_t>((due - now + 999'999) / 1'000'000, 0, 60'000);
    epoll_event events[16];
    epoll_wait(epoll_fd_, events, 16, static_cast<int>(wait_ms));
    const std::int64_t woken = monotonic_now();
    if (woken - now > wait_ms * 1'000'000 + kLateNs) succession_.excuse(woken);
    now = woken;
  }
}

void VendorSupervisor::obey(std::int64_t now) {
  std::uint64_t rung = 0;
  [[maybe_unused]] const auto got = read(command_fd_, &rung, sizeof rung);
  Commands commands;
  {
    const std::lock_guard lock(mutex_);
    commands = std::exchange(commands_, Commands{});
  }
  if (commands.stop) succession_.stop(now);
  else if (commands.release_ns > 0) succession_.release(commands.release_ns, std::move(commands.traceparent), now);
  if (commands.burst_ns > 0) succession_.burst(commands.burst_ns, now);
}

std::unique_ptr<VendorChild> VendorSupervisor::start(const ChildOrders& orders, std::string& why) const {
  auto process = VendorProcess::start({options_.executable, options_.library, orders, environment_}, why);
  if (process == nullptr) return nullptr;
  watch(epoll_fd_, process->wake_fd());
  // Edges: a dead child that a debugger holds is readable all the time and cannot be reaped.
  watch(epoll_fd_, process->pid_fd(), EPOLLET);
  return process;
}

}  // namespace faultline
