// The list of devices to leave alone.
#include "core/vendor/exclusions.h"

#include <algorithm>

namespace faultline {
namespace {

constexpr std::int64_t kLongestRetryNs = 3'600'000'000'000;
// Looking whether a lost device is back harms nothing, unlike a call that may hang.
constexpr std::int64_t kLongestLostRetryNs = 300'000'000'000;

}  // namespace

Exclusions::Item* Exclusions::find(std::string_view pci, std::uint32_t index) {
  for (Item& item : items_) {
    const bool same = item.pci.empty() || pci.empty() ? item.index == index : item.pci == pci;
    if (same) return &item;
  }
  return nullptr;
}

void Exclusions::add(std::string_view pci, std::uint32_t index, Why why, std::int64_t now_ns) {
  Item* item = find(pci, index);
  if (item == nullptr) {
    if (items_.size() >= kMaxDevices) return;
    const std::int64_t longest = why == Why::kHung ? kLongestRetryNs : std::max(first_retry_ns_, kLongestLostRetryNs);
    items_.push_back({std::string(pci), index, why, false, 0, Backoff(first_retry_ns_, longest)});
    item = &items_.back();
  }
  if (item->why != Why::kHung) item->why = why;
  item->lifted = false;
  item->due_ns = now_ns + item->backoff.next_ns();
}

void Exclusions::forget(std::string_view pci, std::uint32_t index) {
  std::erase_if(items_, [&](const Item& item) {
    return (item.lifted || item.why == Why::kLost) && (item.pci.empty() || pci.empty() ? item.index == index : item.pci == pci);
  });
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

std::string Exclusions::argument() const {
  std::string list;
  for (const Item& item : items_) {
    if (item.lifted || item.why == Why::kLost) continue;
    if (!list.empty()) list += ',';
    list += item.pci + '@' + std::to_string(item.index);
  }
  return list.empty() ? "-" : list;
}

}  // namespace faultline
