// Devices that a vendor child must not touch because a call on them hung or they were lost, and when to try them again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/vendor/backoff.h"
#include "core/vendor/ring.h"

namespace faultline {

class Exclusions {
 public:
  explicit Exclusions(std::int64_t first_retry_ns) : first_retry_ns_(first_retry_ns) {}
  // Hung or crashing devices, and lost ones that a child holds open, are left out by every child until they are due; one
  // that was lost before it could be opened is tried by each child that starts for another reason.
  enum class Why { kHung, kLost, kLostAndHeld };
  // Whether what is lifted for a candidate is left out, too: by the child that runs while the candidate tries it.
  enum class Lifted { kTried, kLeftOut };

  // Adds the device or, when it is known already, doubles its pause. Only where `pci` is empty, because the device hung
  // before it could be asked for its address, does the library's index stand for it.
  void add(std::string_view pci, std::uint32_t index, Why why, std::int64_t now_ns);
  // The device answers again.
  void forget(std::string_view pci, std::uint32_t index);
  void forget_lost();
  // The driver counts its devices otherwise: an index means another device now.
  void forget_indices();
  std::optional<std::int64_t> next_due_ns() const;
  // Lifts what is due, for one child; it stays known so that a second failure waits longer. True when there was any.
  bool lift_due(std::int64_t now_ns);
  // The child that was to try what was lifted failed: all of it waits longer.
  void return_lifted(std::int64_t now_ns);
  // Nothing may be tried before this.
  void postpone(std::int64_t until_ns);
  bool holds(std::string_view pci) const;
  // The child's argument: the known addresses in the order of their seats, each that is to be left alone as "!PCI@INDEX"
  // with the index that it had, then "!@INDEX" for those whose address is not known; all with commas, "-" for none.
  std::string argument(const std::vector<std::string>& known, Lifted lifted) const;
  // Known addresses, and those that are left out without being among them: what a child is given seats for.
  std::vector<std::string> seats(const std::vector<std::string>& known) const;

 private:
  struct Item {
    std::string pci;
    std::uint32_t index;
    Why why;
    bool lifted;
    std::int64_t due_ns;
    Backoff backoff;
  };

  static bool same(const Item& item, std::string_view pci, std::uint32_t index);
  static bool left_out(const Item& item, Lifted lifted);
  Item* find(std::string_view pci, std::uint32_t index);

  const std::int64_t first_retry_ns_;
  std::vector<Item> items_;
};

}  // namespace faultline
