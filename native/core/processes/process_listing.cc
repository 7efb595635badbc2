// Which processes are there.
#include "core/processes/process_listing.h"

#include <algorithm>
#include <charconv>

namespace faultline {
namespace {

// A list of all, for whatever numbers do not show: one that was chosen (criu), a system that fakes the last one.
constexpr std::uint32_t kLooksBetweenLists = 15;
// Threads take numbers as well. Asking for one costs a third of what listing one does.
constexpr std::uint32_t kMostNumbers = 4096;

std::optional<std::uint32_t> pid_of(const std::string& name) {
  std::uint32_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc() || end != name.data() + name.size() || name.size() > 10) return std::nullopt;
  return pid;
}

// False where numbers cannot be asked for.
template <typename Ask>
bool follow(const std::vector<std::uint32_t>& pids, const Ask& ask, ProcessListing::Found& found) {
  for (const std::uint32_t pid : pids) {
    switch (ask(pid)) {
      case ProcessNumber::process: break;
      case ProcessNumber::ended: found.ended.push_back(pid); break;
      case ProcessNumber::none: found.gone.push_back(pid); break;
      case ProcessNumber::refused: return false;
    }
  }
  return true;
}

// False where numbers cannot be asked for.
bool ask_numbers(const ProcessFiles& files, const std::string& proc, const ProcessListing::Plan& plan, ProcessListing::Found& found) {
  for (std::uint32_t pid = *plan.from + 1; pid <= *found.newest; ++pid) {
    switch (files.number(pid)) {
      case ProcessNumber::process:
      case ProcessNumber::ended: found.there.emplace_back(pid, files.inode(proc + "/" + std::to_string(pid))); break;
      case ProcessNumber::none: break;
      case ProcessNumber::refused: return false;
    }
  }
  return follow(plan.followed.others, [&](std::uint32_t pid) { return files.still(pid); }, found) &&
         follow(plan.followed.ranks, [&](std::uint32_t pid) { return files.number(pid); }, found);
}

}  // namespace

ProcessListing::Plan ProcessListing::plan(Followed followed) const {
  const bool numbers = trusted_ && before_ && newest_ && since_whole_ + 1 < kLooksBetweenLists && followed.ranks.size() < kMostNumbers;
  if (!numbers) return {};
  return {before_, std::move(followed)};
}

ProcessListing::Found ProcessListing::look(const ProcessFiles& files, const std::string& proc, const Plan& plan, std::size_t most) {
  Found found;
  found.newest = files.newest(proc);
  const bool few = plan.from && found.newest && *found.newest >= *plan.from && *found.newest - *plan.from <= kMostNumbers;
  if (few && ask_numbers(files, proc, plan, found)) return found;
  found.whole = true;
  found.there.clear();
  found.gone.clear();
  found.ended.clear();
  std::vector<ListedFile> listed;
  files.list(proc, listed);
  for (const ListedFile& file : listed) {
    const auto pid = pid_of(file.name);
    if (pid && found.there.size() < most) found.there.emplace_back(*pid, file.inode);
  }
  // The first process under a job's name owns it. procfs lists by pid; a copy of it, as in tests, in any order.
  std::ranges::sort(found.there);
  return found;
}

void ProcessListing::took(const Found& found, const std::vector<std::uint32_t>& unknown) {
  since_whole_ = found.whole ? 0 : since_whole_ + 1;
  // What comes with a number from before the last looks was missed by them: numbers do not say here what is new.
  const bool rose = before_ && found.newest && *found.newest >= *before_;
  if (rose && std::ranges::any_of(unknown, [&](std::uint32_t pid) { return pid <= *before_; })) trusted_ = false;
  const bool wrapped = !found.newest || !newest_ || *found.newest < *newest_;
  before_ = wrapped ? found.newest : newest_;
  newest_ = found.newest;
}

}  // namespace faultline
