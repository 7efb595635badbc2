// The list of devices to leave alone.
#include "core/vendor/exclusions.h"

#include <algorithm>

namespace faultline {
namespace {

constexpr std::int64_t kLongestRetryNs = 3'600'000'000'000;
// Looking whether a lost device is back harms nothing, unlike a call that may hang.
constexpr std::int64_t kLongestLostRetryNs = 300'000'000'000;

}  // namespace

bool Exclusions::same(const Item& item, std::string_view pci, std::uint32_t index) {
  return item.pci.empty() || pci.empty() ? item.index == index && index != kNoDevice : item.pci == pci;
}

bool Exclusions::left_out(const Item& item, Lifted lifted) {
  return item.why != Why::kLost && (!item.lifted || lifted == Lifted::kLeftOut);
}

Exclusions::Item* Exclusions::find(std::string_view pci, std::uint32_t index) {
  const auto found = std::ranges::find_if(items_, [&](const Item& item) { return same(item, pci, index); });
  return found == items_.end() ? nullptr : &*found;
}

void Exclusions::add(std::string_view pci, std::uint32_t index, Why why, std::int64_t now_ns) {
  if (pci.empty() && index == kNoDevice) return;
  Item* item = find(pci, index);
  if (item == nullptr) {
    if (items_.size() >= kMaxDevices) return;
    const std::int64_t longest = why == Why::kHung ? kLongestRetryNs : std::max(first_retry_ns_, kLongestLostRetryNs);
    items_.push_back({std::string(pci), index, why, false, 0, Backoff(first_retry_ns_, longest)});
    item = &items_.back();
  }
  if (item->why != Why::kHung) item->why = why;
  if (item->pci.empty()) item->pci = pci;
  if (index != kNoDevice) item->index = index;
  item->lifted = false;
  item->due_ns = now_ns + item->backoff.next_ns();
}

void Exclusions::forget(std::string_view pci, std::uint32_t index) {
  std::erase_if(items_, [&](const Item& item) { return (item.lifted || item.why == Why::kLost) && same(item, pci, index); });
}

void Exclusions::forget_indices() {
  std::erase_if(items_, [](const Item& item) { return item.pci.empty(); });
}

void Exclusions::forget_lost() {
  std::erase_if(items_, [](const Item& item) { return item.why != Why::kHung; });
}

std::optional<std::int64_t> Exclusions::next_due_ns() const {
  std::optional<std::int64_t> due;
  for (const Item& item : items_) {
    if (!item.lifted && (!due || item.due_ns < *due)) due = item.due_ns;
  }
  return due;
}

bool Exclusions::lift_due(std::int64_t now_ns) {
  bool any = false;
  for (Item& item : items_) {
    if (item.lifted || item.due_ns > now_ns) continue;
    item.lifted = true;
    any = true;
  }
  return any;
}

void Exclusions::return_lifted(std::int64_t now_ns) {
  for (Item& item : items_) {
    if (!item.lifted) continue;
    item.lifted = false;
    item.due_ns = now_ns + item.backoff.next_ns();
  }
}

void Exclusions::postpone(std::int64_t until_ns) {
  for (Item& item : items_) {
    if (!item.lifted) item.due_ns = std::max(item.due_ns, until_ns);
  }
}

bool Exclusions::holds(std::string_view pci) const {
  return std::ranges::any_of(items_, [&](const Item& item) { return item.pci == pci; });
}

std::vector<std::string> Exclusions::seats(const std::vector<std::string>& known) const {
  std::vector<std::string> seats = known;
  for (const Item& item : items_) {
    if (item.pci.empty() || seats.size() >= kMaxDevices || std::ranges::find(seats, item.pci) != seats.end()) continue;
    seats.push_back(item.pci);
  }
  return seats;
}

std::string Exclusions::argument(const std::vector<std::string>& known, Lifted lifted) const {
  std::string list;
  const auto put = [&list](const std::string& text) { list.append(list.empty() ? "" : ",").append(text); };
  for (const std::string& pci : seats(known)) {
    const auto alone =
        std::ranges::find_if(items_, [&](const Item& item) { return item.pci == pci && left_out(item, lifted); });
    std::string text(alone == items_.end() ? "" : "!");
    text.append(pci);
    if (alone != items_.end() && alone->index != kNoDevice) text.append("@").append(std::to_string(alone->index));
    put(text);
  }
  for (const Item& item : items_) {
    if (item.pci.empty() && left_out(item, lifted)) put(std::string("!@").append(std::to_string(item.index)));
  }
  return list.empty() ? "-" : list;
}

}  // namespace faultline
