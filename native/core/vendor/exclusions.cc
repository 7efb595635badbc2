// The list of devices to leave alone.
#include "core/vendor/exclusions.h"

#include <algorithm>

namespace faultline {
namespace {

constexpr std::int64_t kLongestRetryNs = 3'600'000'000'000;

}  // namespace

Exclusions::Item* Exclusions::find(std::string_view pci, std::uint32_t index) {
  for (Item& item : items_) {
    const bool same = item.pci.empty() || pci.empty() ? item.index == index : item.pci == pci;
    if (same) return &item;
  }
  return nullptr;
}

void Exclusions::add(std::string_view pci, std::uint32_t index, bool hung, std::int64_t now_ns) {
  Item* item = find(pci, index);
  if (item == nullptr) {
    if (items_.size() >= kMaxDevices) return;
    items_.push_back({std::string(pci), index, hung, false, 0, Backoff(first_retry_ns_, kLongestRetryNs)});
    item = &items_.back();
  }
  item->hung = item->hung || hung;
  item->lifted = false;
  item->due_ns = now_ns + item->backoff.next_ns();
}

void Exclusions::forget(std::string_view pci, std::uint32_t index) {
  std::erase_if(items_, [&](const Item& item) {
    return (item.lifted || !item.hung) && (item.pci.empty() || pci.empty() ? item.index == index : item.pci == pci);
  });
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
    if (item.lifted || !item.hung) continue;
    if (!list.empty()) list += ',';
    list += item.pci + '@' + std::to_string(item.index);
  }
  return list.empty() ? "-" : list;
}

}  // namespace faultline
