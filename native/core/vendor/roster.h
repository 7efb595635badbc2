// Who sits on a child's seats. A seat is the child's own number for a device, fixed for its life; what a device is called
// outside of the child is its PCI address.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/vendor/ring.h"

namespace faultline {

class Roster {
 public:
  // The first seats are those of the addresses that the child was given at its start.
  explicit Roster(const std::vector<std::string>& given);

  // What is wrong with this device notice, in words; empty where it was taken.
  std::string announce(const NoticeRecord& device);
  // Empty where no device has the seat, or the address is not known yet.
  std::string_view pci(std::uint32_t seat) const { return seat < kMaxDevices ? seats_[seat].pci : std::string_view{}; }
  // The library's index of it; kNoDevice where the child did not say.
  std::uint32_t index(std::uint32_t seat) const { return seat < kMaxDevices ? seats_[seat].index : kNoDevice; }
  // Of the devices that the child has open.
  std::vector<std::string> announced() const;

 private:
  struct Seat {
    std::string pci;
    std::uint32_t index = kNoDevice;
    bool announced = false;
  };

  std::array<Seat, kMaxDevices> seats_;
};

}  // namespace faultline
