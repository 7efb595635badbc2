// Reads the supervisor's list.
#include "vendor/known_devices.h"

#include <algorithm>
#include <charconv>

#include "core/vendor/ring.h"

namespace faultline {

KnownDevices::KnownDevices(std::string_view list) {
  while (!list.empty() && list != "-") {
    std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(item.size() < list.size() ? item.size() + 1 : list.size());
    const bool alone = item.starts_with('!');
    if (alone) item.remove_prefix(1);
    const std::string_view pci = item.substr(0, item.find('@'));
    std::uint32_t index = kNoDevice;
    if (pci.size() < item.size()) std::from_chars(item.data() + pci.size() + 1, item.data() + item.size(), index);
    if (is_pci_address(pci) && seats_.size() < kMaxDevices) seats_.push_back({std::string(pci), alone, index});
    else if (pci.empty() && alone && index != kNoDevice) indices_.push_back(index);
  }
}

std::optional<std::uint32_t> KnownDevices::seat_of(std::string_view pci) const {
  for (std::uint32_t seat = 0; seat < seats_.size(); ++seat) {
    if (seats_[seat].pci == pci) return seat;
  }
  return std::nullopt;
}

bool KnownDevices::index_alone(std::uint32_t index) const { return std::ranges::find(indices_, index) != indices_.end(); }

std::size_t KnownDevices::alone() const {
  return static_cast<std::size_t>(std::ranges::count_if(seats_, [](const Seat& seat) { return seat.alone; }));
}

}  // namespace faultline
