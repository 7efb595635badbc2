// The supervisor's loop and its decisions; how a process is started and ended lies in process.cc and endings.cc.
#include "core/vendor/supervisor.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/clock.h"
#include "core/vendor/protocol.h"
#include "core/vendor/signals.h"

namespace faultline {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kLateNs = kSecondNs / 2;
constexpr std::int64_t kWithoutPidFdNs = kSecondNs / 5;
constexpr std::int64_t kSoonNs = kSecondNs / 5;
constexpr std::int64_t kStableNs = 60 * kSecondNs;
// The first attach of a GPU without persistence mode takes seconds, and these calls hold up no sample of another device.
constexpr std::int64_t kStartUpFactor = 10;
// More children than this hanging unkillably say that the driver hangs as a whole: another one would join them.
constexpr std::size_t kMostAbandoned = 4;

void watch(int epoll_fd, int fd, std::uint32_t how = 0) {
  if (fd < 0) return;
  epoll_event event{};
  event.events = EPOLLIN | how;
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

bool is_wait(VendorCall call) {
  return call == VendorCall::kEventSetWait || call == VendorCall::kSystemEventSetWait;
}

std::optional<RunningCall> running_call(VendorProcess& process) {
  RunningCall call;
  for (std::uint32_t slot = 0; slot < kCallSlots; ++slot) {
    // A crash is the fault of whoever did more than wait.
    if (process.reader().call(slot, call) && !is_wait(call.call)) return call;
  }
  return std::nullopt;
}

}  // namespace

VendorSupervisor::VendorSupervisor(std::shared_ptr<Sink> sink, VendorLinkOptions options)
    : options_(std::move(options)), environment_(vendor_environment()), report_(std::move(sink)), exclusions_(options_.retry_ns), crashes_(kSecondNs / 2, 30 * kSecondNs),
      failures_(kSecondNs / 2, 30 * kSecondNs), hangs_(kSecondNs, 60 * kSecondNs) {
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
  std::int64_t now = monotonic_now();
  for (;;) {
    obey(now);
    endings_.serve(now, report_);
    if (stopping_ && endings_.settled()) return;
    if (!stopping_) {
      serve_current(now);
      serve_candidate(now);
      serve_timers(now);
    }
    const std::int64_t due = next_due_ns(now);
    const std::int64_t wait_ms = std::clamp<std::int64_t>((due - now + 999'999) / 1'000'000, 0, 60'000);
    epoll_event events[16];
    epoll_wait(epoll_fd_, events, 16, static_cast<int>(wait_ms));
    const std::int64_t woken = monotonic_now();
    if (woken - now > wait_ms * 1'000'000 + kLateNs) excused_until_ns_ = woken;
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
  if (commands.stop || commands.release_ns > 0) {
    stopping_ = stopping_ || commands.stop;
    releasing_ = true;
    release_traceparent_ = std::move(commands.traceparent);
    end(candidate_, true, now);
    end(current_, true, now);
    exclusions_.return_lifted(now);
    exclusions_.forget_lost();  // whoever asks for this may well have repaired something
    start_due_ns_ = now + commands.release_ns;
  }
  if (commands.burst_ns > 0) {
    const bool already = burst_until_ns_ > now;
    burst_until_ns_ = now + commands.burst_ns;
    if (!already && current_) current_->set_interval(interval_ns(now));
  }
}

void VendorSupervisor::serve_current(std::int64_t now) {
  if (!current_) return;
  current_->acknowledge();
  int status = 0;
  const bool ended = current_->reap(status);
  const auto within = ended ? running_call(*current_) : std::nullopt;
  drain(*current_, false);
  const std::uint64_t ticks = current_->reader().ticks();
  if (ticks != current_ticks_) current_heard_ns_ = now;
  current_ticks_ = ticks;
  if (ticks > 0) {
    failures_.reset();
    if (now - current_->started_ns() > kStableNs) {
      crashes_.reset();
      hangs_.reset();
      last_crash_device_ = kNoDevice;
    }
  }
  if (ended) {
    pid_ = 0;
    current_.reset();
    return child_ended(status, within, now);
  }
  if (current_->reader().corrupt() > 0 || silent(current_heard_ns_, now)) {
    const bool corrupt = current_->reader().corrupt() > 0;
    report_.child_exit(corrupt ? "corrupt" : "silent",
                       corrupt ? "the child wrote records that cannot be" : "the child says nothing any more", 0);
    end(current_, false, now);
    start_due_ns_ = now + crashes_.next_ns();
    return;
  }
  if (const auto stuck = stuck_call(*current_, now)) {
    give_up_call(*stuck, now);
    end(current_, false, now);
    if (stuck->device != kNoDevice) {
      start_due_ns_ = now;  // without that device
    } else {
      start_due_ns_ = now + hangs_.next_ns();
      report_.state("failed", std::string(vendor_call_name(stuck->call)) + " does not return");
    }
  }
}

void VendorSupervisor::serve_candidate(std::int64_t now) {
  if (!candidate_) return;
  candidate_->acknowledge();
  int status = 0;
  const auto stuck = stuck_call(*candidate_, now);
  const bool ended = candidate_->reap(status);
  if (!ended && !stuck && candidate_->reader().ticks() > 0) return take_over(now);
  if (!ended && !stuck && !silent(candidate_heard_ns_, now)) return;
  if (stuck && !ended) give_up_call(*stuck, now);
  if (ended) {
    candidate_.reset();
  } else {
    end(candidate_, false, now);
  }
  exclusions_.return_lifted(now);
}

void VendorSupervisor::serve_timers(std::int64_t now) {
  if (releasing_ && endings_.settled()) {
    releasing_ = false;
    report_.state("released", endings_.abandoned() == 0 ? "" : "a child that hangs in the driver keeps its devices", 0,
                  std::exchange(release_traceparent_, {}));
  }
  if (burst_until_ns_ != 0 && now >= burst_until_ns_) {
    burst_until_ns_ = 0;
    if (current_) current_->set_interval(interval_ns(now));
  }
  if (!current_ && !releasing_ && now >= start_due_ns_) {
    if (endings_.abandoned() >= kMostAbandoned) {
      report_.state("failed", "the driver hangs: children that cannot be killed wait in it");
      start_due_ns_ = now + hangs_.next_ns();
      return;
    }
    successor_wanted_ = false;  // it leaves out what is to be left out
    report_.child_began();
    current_ = start(now);
    current_heard_ns_ = now;
    current_ticks_ = 0;
    pid_ = current_ ? current_->pid() : 0;
    return;
  }
  if (!current_ || candidate_ || current_->reader().ticks() == 0) return;
  if (endings_.abandoned() > 0) exclusions_.postpone(now + kStableNs);
  if (exclusions_.lift_due(now) || successor_wanted_) {
    successor_wanted_ = false;
    candidate_ = start(now);
    candidate_heard_ns_ = now;
    if (!candidate_) exclusions_.return_lifted(now);
  }
}

std::int64_t VendorSupervisor::next_due_ns(std::int64_t now) const {
  std::int64_t due = now + 60 * kSecondNs;
  const auto sooner = [&due](std::optional<std::int64_t> other) {
    if (other) due = std::min(due, *other);
  };
  sooner(endings_.next_due_ns(now));
  if (endings_.needs_polling()) sooner(now + kWithoutPidFdNs);
  if (stopping_) return due;
  if (burst_until_ns_ != 0) sooner(burst_until_ns_);
  if (!current_ && !releasing_) sooner(start_due_ns_);
  if (current_ && !candidate_ && current_->reader().ticks() > 0) sooner(exclusions_.next_due_ns());
  for (const auto* process : {&current_, &candidate_}) {
    if (!*process) continue;
    if ((*process)->pid_fd() < 0) sooner(now + kWithoutPidFdNs);
    // A call that has not begun yet can be over its deadline one deadline from now at the earliest.
    sooner(now + options_.call_deadline_ns);
    RunningCall call;
    for (std::uint32_t slot = 0; slot < kCallSlots; ++slot) {
      if ((*process)->reader().call(slot, call)) {
        sooner(std::max(call.start_ns, excused_until_ns_) + deadline_ns(call.call) + 1);
      }
    }
  }
  return due;
}

std::int64_t VendorSupervisor::interval_ns(std::int64_t now) const {
  if (!options_.poll) return kEventsOnly;
  return burst_until_ns_ > now ? options_.burst_interval_ns : options_.interval_ns;
}

std::unique_ptr<VendorProcess> VendorSupervisor::start(std::int64_t now) {
  std::string why;
  auto process = VendorProcess::start(
      {options_.executable, options_.library, exclusions_.argument(), environment_, interval_ns(now)}, why);
  if (!process) {
    report_.state("failed", "faultline-vendor does not start: " + why);
    start_due_ns_ = now + failures_.next_ns();
    return nullptr;
  }
  watch(epoll_fd_, process->wake_fd());
  // Edges: a dead child that a debugger holds is readable all the time and cannot be reaped.
  watch(epoll_fd_, process->pid_fd(), EPOLLET);
  return process;
}

void VendorSupervisor::end(std::unique_ptr<VendorProcess>& process, bool ask, std::int64_t now) {
  if (!process) return;
  epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, process->wake_fd(), nullptr);  // nobody listens to it any more
  if (&process == &current_) pid_ = 0;
  endings_.add(std::move(process), ask, now);
}

void VendorSupervisor::drain(VendorProcess& process, bool taking_over) {
  RingReader& reader = process.reader();
  reader.begin();
  const std::int64_t now = monotonic_now();
  NoticeRecord notice;
  while (reader.next(notice, now)) {
    taking_over && RecentEvents::is_event(notice) ? report_.event_once(notice) : report_.notice(notice);
  }
  SampleRecord sample;
  while (reader.next(sample, now)) {
    if (!taking_over) report_.sample(sample);  // the predecessor's cover the same moment
  }
  for (const auto& [device, held] : report_.take_lost()) {
    exclusions_.add(report_.pci(device), device, held ? Exclusions::Why::kLostAndHeld : Exclusions::Why::kLost, now);
    // Nobody can reset a device that a process has open.
    successor_wanted_ = successor_wanted_ || held;
  }
  for (const std::uint32_t device : report_.take_seen()) exclusions_.forget(report_.pci(device), device);
}

void VendorSupervisor::take_over(std::int64_t now) {
  drain(*current_, false);
  end(current_, true, now);
  report_.child_began();
  current_ = std::move(candidate_);
  pid_ = current_->pid();
  current_heard_ns_ = now;
  current_ticks_ = 0;
  drain(*current_, true);
}

void VendorSupervisor::child_ended(int status, const std::optional<RunningCall>& within, std::int64_t now) {
  if (WIFSIGNALED(status)) return child_crashed(WTERMSIG(status), within, now);
  const int code = WEXITSTATUS(status);
  start_due_ns_ = now + failures_.next_ns();
  switch (code) {
    case kExitLibraryDead:
      report_.driver_gone();
      return;  // it said why
    case kExitAbsent:
    case kExitFailed:
      return;
    case kExitDevicesChanged:
      failures_.reset();
      start_due_ns_ = now + kSoonNs;
      return;
    case kExitBadStart:
    case kExitUsage:
      return report_.state("failed", options_.executable + " is not of this build: install both from one package");
    case 127:
      return report_.state("failed", options_.executable + " cannot be executed");
    default:
      report_.child_exit("exited", "with status " + std::to_string(code), code);
  }
}

void VendorSupervisor::child_crashed(int signal, const std::optional<RunningCall>& within, std::int64_t now) {
  start_due_ns_ = now + crashes_.next_ns();
  std::string text = "pid ended by " + signal_name(signal);
  if (within) {
    text = signal_name(signal) + " in " + std::string(vendor_call_name(within->call));
    if (within->device != kNoDevice) text += " on index " + std::to_string(within->device);
    if (within->call == VendorCall::kDlopen) {
      report_.state("failed", "the library is truncated or damaged: " + signal_name(signal) + " while loading " + options_.library);
    }
  }
  const std::uint32_t device = within && is_fault(signal) ? within->device : kNoDevice;
  // Twice on one device: the others go on without it.
  if (device != kNoDevice && device == last_crash_device_) exclusions_.add(report_.pci(device), device, Exclusions::Why::kHung, now);
  last_crash_device_ = device;
  report_.child_exit(signal_name(signal), text, signal);
}

std::optional<RunningCall> VendorSupervisor::stuck_call(VendorProcess& process, std::int64_t now) const {
  RunningCall call;
  for (std::uint32_t slot = 0; slot < kCallSlots; ++slot) {
    if (!process.reader().call(slot, call)) continue;
    if (now - std::max(call.start_ns, excused_until_ns_) > deadline_ns(call.call)) return call;
  }
  return std::nullopt;
}

void VendorSupervisor::give_up_call(const RunningCall& call, std::int64_t now) {
  report_.call_stalled(call.device, vendor_call_name(call.call), static_cast<double>(now - call.start_ns) / 1e6);
  if (call.device != kNoDevice) exclusions_.add(report_.pci(call.device), call.device, Exclusions::Why::kHung, now);
}

std::int64_t VendorSupervisor::deadline_ns(VendorCall call) const {
  switch (call) {
    case VendorCall::kDlopen:
    case VendorCall::kInit:
    case VendorCall::kHandleByIndex:
      return kStartUpFactor * options_.call_deadline_ns;
    case VendorCall::kEventSetWait:
    case VendorCall::kSystemEventSetWait:
      return options_.call_deadline_ns + kEventWaitMs * 1'000'000;
    default:
      return options_.call_deadline_ns;
  }
}

bool VendorSupervisor::silent(std::int64_t heard_ns, std::int64_t now) const {
  // A throttled child rests for at most kLongestIntervalNs; calls have deadlines of their own.
  return now - std::max(heard_ns, excused_until_ns_) > 2 * kLongestIntervalNs + kStartUpFactor * options_.call_deadline_ns;
}

}  // namespace faultline
