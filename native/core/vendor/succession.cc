// The decisions. What a child is doing comes as one value, and each of its cases is dealt with in one place.
#include "core/vendor/succession.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "core/vendor/protocol.h"
#include "core/vendor/signals.h"

namespace faultline {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kWithoutPidFdNs = kSecondNs / 5;
constexpr std::int64_t kSoonNs = kSecondNs / 5;
constexpr std::int64_t kSettledNs = 10 * kSecondNs;
constexpr std::int64_t kStableNs = 60 * kSecondNs;
// For this long after a break, resets of GPUs that children give away are not believed.
constexpr std::int64_t kDisbeliefNs = 60 * kSecondNs;
// More children than this hanging unkillably say that the driver hangs as a whole: another one would join them.
constexpr std::size_t kMostAbandoned = 4;
// What a child that is only tried may report before it samples.
constexpr std::size_t kMostInherited = 8192;

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Match(Cases...) -> Match<Cases...>;

std::uint32_t index_of(const RunningCall& call, const Roster& roster) {
  return call.index != kNoDevice ? call.index : roster.index(call.device);
}

}  // namespace

Succession::Succession(VendorReport& report, const VendorLinkOptions& options, World world)
    : report_(report), options_(options), world_(std::move(world)), limits_{options.call_deadline_ns},
      exclusions_(options.retry_ns), crashes_(kSecondNs / 2, 30 * kSecondNs), failures_(kSecondNs / 2, 30 * kSecondNs),
      hangs_(kSecondNs, 60 * kSecondNs), breaks_(kSecondNs, 120 * kSecondNs) {}

void Succession::stop(std::int64_t now) {
  stopping_ = true;
  release(0, {}, now);
}

void Succession::release(std::int64_t duration_ns, std::string traceparent, std::int64_t now) {
  releasing_ = true;
  release_traceparent_ = std::move(traceparent);
  dismiss(candidate_, true, now);
  dismiss(current_, true, now);
  exclusions_.return_lifted(now);
  exclusions_.forget_lost();  // whoever asks for this may well have repaired something
  start_due_ns_ = now + duration_ns;
}

void Succession::burst(std::int64_t duration_ns, std::int64_t now) {
  const bool already = burst_until_ns_ > now;
  burst_until_ns_ = now + duration_ns;
  if (!already && current_) current_->process().set_interval(interval_ns(now));
}

void Succession::serve(std::int64_t now) {
  endings_.serve(now, report_);
  if (stopping_) return;
  serve_current(now);
  serve_candidate(now);
  serve_timers(now);
}

void Succession::serve_current(std::int64_t now) {
  if (!current_) return;
  batch_.clear();
  const Doing doing = current_->look(batch_, limits_, now);
  if (batch_.whole) {
    absorb(batch_, *current_);
    heed_devices(now);
    if (current_->ticked()) {
      if (now - current_->started_ns() > kSettledNs) failures_.reset();
      if (now - current_->started_ns() > kStableNs) {
        crashes_.reset();
        hangs_.reset();
        last_crash_.clear();
      }
      if (now - std::max(broke_ns_, current_->started_ns()) > 10 * kStableNs) breaks_.reset();
    }
  }
  std::visit(Match{
                 [](const Works&) {},
                 [&](const Broke& how) {
                   broke(how, current_, now);
                   start_due_ns_ = now + breaks_.next_ns();
                 },
                 [&](const Ended& how) {
                   const WatchedChild ended = *std::exchange(current_, std::nullopt);
                   child_ended(how, ended, now);
                 },
                 [&](const Silent&) {
                   report_.child_exit("silent", "the child says nothing any more", 0);
                   dismiss(current_, false, now);
                   start_due_ns_ = now + crashes_.next_ns();
                 },
                 [&](const Stuck& how) {
                   give_up_call(how.call, current_->roster(), now);
                   dismiss(current_, false, now);
                   if (how.call.device != kNoDevice || how.call.index != kNoDevice) {
                     start_due_ns_ = now;  // without that device
                   } else {
                     start_due_ns_ = now + hangs_.next_ns();
                     report_.state("failed", std::string(vendor_call_name(how.call.call)) + " does not return");
                   }
                 },
             },
             doing);
}

void Succession::serve_candidate(std::int64_t now) {
  if (!candidate_) return;
  const Doing doing = candidate_->look(inherited_, limits_, now);
  inherited_.samples.clear();  // the predecessor's cover the same moment
  if (std::holds_alternative<Works>(doing) && inherited_.notices.size() <= kMostInherited) {
    if (candidate_->ticked()) take_over(now);
    return;
  }
  std::visit(Match{
                 [&](const Broke& how) { broke(how, candidate_, now); },
                 [&](const Ended&) { candidate_.reset(); },
                 [&](const Stuck& how) {
                   give_up_call(how.call, candidate_->roster(), now);
                   dismiss(candidate_, false, now);
                 },
                 [&](const auto&) { dismiss(candidate_, false, now); },
             },
             doing);
  exclusions_.return_lifted(now);
}

void Succession::serve_timers(std::int64_t now) {
  if (releasing_ && endings_.settled()) {
    releasing_ = false;
    report_.state("released", endings_.abandoned() == 0 ? "" : "a child that hangs in the driver keeps its devices", 0,
                  std::exchange(release_traceparent_, {}));
  }
  if (burst_until_ns_ != 0 && now >= burst_until_ns_) {
    burst_until_ns_ = 0;
    if (current_) current_->process().set_interval(interval_ns(now));
  }
  if (!current_) {
    if (!releasing_ && now >= start_due_ns_) start_current(now);
    return;
  }
  if (candidate_ || !current_->ticked()) return;
  if (endings_.abandoned() > 0) exclusions_.postpone(now + kStableNs);
  if (exclusions_.lift_due(now) || successor_wanted_) {
    successor_wanted_ = false;
    inherited_.clear();
    candidate_ = start(Exclusions::Lifted::kTried, now);
    if (!candidate_) exclusions_.return_lifted(now);
  }
}

void Succession::start_current(std::int64_t now) {
  if (endings_.abandoned() >= kMostAbandoned) {
    report_.state("failed", "the driver hangs: children that cannot be killed wait in it");
    start_due_ns_ = now + hangs_.next_ns();
    return;
  }
  successor_wanted_ = false;  // it leaves out what is to be left out
  report_.child_began();
  // What a candidate is about to try would hold up this one, too.
  current_ = start(candidate_ ? Exclusions::Lifted::kLeftOut : Exclusions::Lifted::kTried, now);
}

std::int64_t Succession::next_due_ns(std::int64_t now) const {
  std::int64_t due = now + 60 * kSecondNs;
  const auto sooner = [&due](std::optional<std::int64_t> other) {
    if (other) due = std::min(due, *other);
  };
  sooner(endings_.next_due_ns(now));
  if (endings_.needs_polling()) sooner(now + kWithoutPidFdNs);
  if (stopping_) return due;
  if (burst_until_ns_ != 0) sooner(burst_until_ns_);
  if (!current_ && !releasing_) sooner(start_due_ns_);
  if (current_ && !candidate_ && current_->ticked()) sooner(exclusions_.next_due_ns());
  for (const auto* child : {&current_, &candidate_}) {
    if (!*child) continue;
    if ((*child)->process().pid_fd() < 0) sooner(now + kWithoutPidFdNs);
    sooner((*child)->next_due_ns(limits_, now));
  }
  return due;
}

std::int64_t Succession::interval_ns(std::int64_t now) const {
  if (!options_.poll) return kEventsOnly;
  return burst_until_ns_ > now ? options_.burst_interval_ns : options_.interval_ns;
}

std::optional<WatchedChild> Succession::start(Exclusions::Lifted lifted, std::int64_t now) {
  std::string why;
  const std::vector<std::string> known = report_.addresses();
  auto child = world_.start({exclusions_.argument(known, lifted), interval_ns(now)}, why);
  if (child != nullptr) return WatchedChild(std::move(child), exclusions_.seats(known), now);
  report_.state("failed", "faultline-vendor does not start: " + why);
  start_due_ns_ = now + failures_.next_ns();
  return std::nullopt;
}

void Succession::dismiss(std::optional<WatchedChild>& child, bool ask, std::int64_t now) {
  if (!child) return;
  world_.dismissed(child->process());
  endings_.add(child->take(), ask, now);
  child.reset();
}

void Succession::absorb(const Batch& batch, const WatchedChild& from) {
  if (!batch.samples.empty()) report_.believed();
  for (const NoticeRecord& notice : batch.notices) report_.notice(notice, from.roster().pci(notice.device));
  for (const SampleRecord& sample : batch.samples) report_.sample(sample);
  const bool listed = std::ranges::any_of(batch.notices, [](const NoticeRecord& notice) {
    return notice.type == static_cast<std::uint32_t>(NoticeType::kState) && bounded_text(notice.name) == "running";
  });
  if (listed && from.lost() == 0) report_.listed([this](const std::string& pci) { return exclusions_.holds(pci); });
}

void Succession::heed_devices(std::int64_t now) {
  for (const auto& [pci, index, held] : report_.take_lost()) {
    exclusions_.add(pci, index, held ? Exclusions::Why::kLostAndHeld : Exclusions::Why::kLost, now);
    // A device that a process has open cannot be reset.
    successor_wanted_ = successor_wanted_ || held;
  }
  for (const auto& [pci, index] : report_.take_seen()) exclusions_.forget(pci, index);
}

void Succession::take_over(std::int64_t now) {
  if (current_) {
    batch_.clear();
    const Doing doing = current_->look(batch_, limits_, now);
    if (batch_.whole) absorb(batch_, *current_);
    if (const auto* how = std::get_if<Broke>(&doing)) broke(*how, current_, now);
    if (std::holds_alternative<Ended>(doing)) current_.reset();
    dismiss(current_, true, now);
  }
  report_.child_began();
  current_ = std::exchange(candidate_, std::nullopt);
  for (const NoticeRecord& notice : inherited_.notices) {
    const std::string_view pci = current_->roster().pci(notice.device);
    RecentEvents::is_event(notice) ? report_.event_once(notice, pci) : report_.notice(notice, pci);
  }
  if (current_->lost() == 0) report_.listed([this](const std::string& pci) { return exclusions_.holds(pci); });
  inherited_.clear();
  heed_devices(now);
}

void Succession::broke(const Broke& how, std::optional<WatchedChild>& child, std::int64_t now) {
  report_.disbelieved(now + kDisbeliefNs);
  report_.child_exit("corrupt", "it wrote " + how.what + "; all that came with it was thrown away", 0);
  broke_ns_ = now;
  if (how.ended) child.reset();
  dismiss(child, false, now);
}

void Succession::child_ended(const Ended& how, const WatchedChild& child, std::int64_t now) {
  if (WIFSIGNALED(how.status)) return child_crashed(WTERMSIG(how.status), how, child.roster(), now);
  const int code = WEXITSTATUS(how.status);
  start_due_ns_ = now + failures_.next_ns();
  switch (code) {
    case kExitLibraryDead:
      report_.driver_gone();
      return;  // it said why
    case kExitAbsent:
    case kExitFailed:
      return;
    case kExitDevicesChanged:
      exclusions_.forget_indices();
      if (now - child.started_ns() > kSettledNs) start_due_ns_ = now + kSoonNs;
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

void Succession::child_crashed(int signal, const Ended& how, const Roster& roster, std::int64_t now) {
  start_due_ns_ = now + crashes_.next_ns();
  std::string text = "pid ended by " + signal_name(signal);
  std::string where;
  if (how.within) {
    const RunningCall& call = *how.within;
    const std::uint32_t index = index_of(call, roster);
    const std::string_view pci = roster.pci(call.device);
    text = signal_name(signal) + " in " + std::string(vendor_call_name(call.call));
    if (index != kNoDevice) text += " on index " + std::to_string(index);
    if (call.call == VendorCall::kDlopen) {
      report_.state("failed", "the library is truncated or damaged: " + signal_name(signal) + " while loading " + options_.library);
    }
    if (is_fault(signal) && (!pci.empty() || index != kNoDevice)) {
      where = pci.empty() ? std::to_string(index) : std::string(pci);
      // Twice on one device: the others continue without it.
      if (where == last_crash_) exclusions_.add(pci, index, Exclusions::Why::kHung, now);
    }
  }
  last_crash_ = where;
  report_.child_exit(signal_name(signal), text, signal);
}

void Succession::give_up_call(const RunningCall& call, const Roster& roster, std::int64_t now) {
  const std::string_view pci = roster.pci(call.device);
  const std::uint32_t index = index_of(call, roster);
  report_.call_stalled(pci, index, vendor_call_name(call.call), static_cast<double>(now - call.start_ns) / 1e6);
  if (!pci.empty() || index != kNoDevice) exclusions_.add(pci, index, Exclusions::Why::kHung, now);
}

}  // namespace faultline
