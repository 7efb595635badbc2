// What the supervisor tells a child of devices: the addresses that earlier children found, which are its first seats, and
// which devices it must not touch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline {

class KnownDevices {
 public:
  struct Seat {
    std::string pci;
    bool alone = false;  // not to be touched
    std::uint32_t index = 0xffffffff;  // the library's, when it was touched last; of those that are left alone
  };

  // "PCI", "!PCI@INDEX" and "!@INDEX" items with commas; "-" is none. What is neither is passed over.
  explicit KnownDevices(std::string_view list);
  const std::vector<Seat>& seats() const { return seats_; }
  std::optional<std::uint32_t> seat_of(std::string_view pci) const;
  // Whether a device without a known address hung at this index.
  bool index_alone(std::uint32_t index) const;
  std::size_t alone() const;

 private:
  std::vector<Seat> seats_;
  std::vector<std::uint32_t> indices_;
};

}  // namespace faultline
