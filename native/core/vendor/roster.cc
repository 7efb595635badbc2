// Takes each device once.
#include "core/vendor/roster.h"

namespace faultline {

Roster::Roster(const std::vector<std::string>& given) {
  for (std::size_t seat = 0; seat < given.size() && seat < kMaxDevices; ++seat) seats_[seat].pci = given[seat];
}

std::string Roster::announce(const NoticeRecord& device) {
  const std::string pci = bounded_text(device.pci);
  Seat& seat = seats_[device.device];
  if (seat.announced) return "device number " + std::to_string(device.device) + " is announced twice";
  if (!seat.pci.empty() && seat.pci != pci) {
    return "device number " + std::to_string(device.device) + " is announced as " + pci + ", it was asked for " + seat.pci;
  }
  for (const Seat& other : seats_) {
    if (&other != &seat && other.pci == pci) return pci + " is announced under two numbers";
  }
  seat = {pci, device.detail, true};
  return {};
}

std::vector<std::string> Roster::announced() const {
  std::vector<std::string> found;
  for (const Seat& seat : seats_) {
    if (seat.announced) found.push_back(seat.pci);
  }
  return found;
}

}  // namespace faultline
