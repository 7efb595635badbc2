// Two readings below the last one, the second not below the first, are a restart.
#include "core/vendor/reset_watch.h"

namespace faultline {
namespace {

constexpr double kSlackJoules = 1;  // of counters that are rounded on their way

}  // namespace

void ResetWatch::new_child() {
  for (auto& [device, counter] : counters_) {
    counter.since = Since::kUnknown;
    counter.suspect = false;
  }
}

bool ResetWatch::restarted(Counter& counter, double joules) const {
  if (joules >= counter.last - kSlackJoules) {
    counter.suspect = false;
    return false;
  }
  const bool again = counter.suspect && joules >= counter.low;
  counter.suspect = !again;
  counter.low = joules;
  return again;
}

std::vector<ResetWatch::Reset> ResetWatch::energy(const std::string& device, double joules) {
  const auto [found, is_new] = counters_.try_emplace(device);
  Counter& counter = found->second;
  if (is_new) {
    counter.last = joules;
    counter.since = Since::kSettled;  // it says nothing about what came before
    return {};
  }
  const bool was_known = counter.since != Since::kUnknown;
  if (restarted(counter, joules)) {
    counter.last = joules;
    if (was_known) return {{device, false}};
    counter.since = Since::kRestarted;
  } else if (!counter.suspect) {
    counter.last = joules;
    if (!was_known) counter.since = Since::kContinued;
  }
  return was_known ? std::vector<Reset>{} : between_children();
}

std::vector<ResetWatch::Reset> ResetWatch::between_children() {
  bool any_continued = false;
  for (const auto& [device, counter] : counters_) any_continued |= counter.since == Since::kContinued;
  std::vector<Reset> resets;
  for (auto& [device, counter] : counters_) {
    if (!any_continued || counter.since != Since::kRestarted) continue;
    counter.since = Since::kSettled;
    resets.push_back({device, true});
  }
  return resets;
}

}  // namespace faultline
