// Opens each device without touching one that is to be left alone, also when the driver numbers its devices otherwise than
// when that one hung: to open by index is to touch whatever has that index now.
#include "vendor/inventory.h"

#include <algorithm>
#include <utility>

namespace faultline {
namespace {

class Lister {
 public:
  Lister(Backend& backend, Reporter& reporter, const KnownDevices& known, const std::string& driver)
      : backend_(backend), reporter_(reporter), known_(known), driver_(driver), found_(known.seats().size()),
        next_seat_(static_cast<std::uint32_t>(known.seats().size())) {}

  Inventory list() {
    unsigned count = 0;
    if (!went_well(backend_.count(count))) return std::move(inventory_);
    inventory_.seen = count;
    taken_.resize(std::min<std::size_t>(count, kMaxDevices));
    if (backend_.opens_by_address()) open_known();
    const auto rest = static_cast<std::size_t>(std::ranges::count(taken_, false));
    // Where no more are left than what must not be touched or is lost, there is nothing new to open.
    if (rest > known_.alone() + lost_.size()) open_others();
    report_lost();
    return std::move(inventory_);
  }

 private:
  struct Loss {
    std::uint32_t seat, index;
    VendorCall call;
    int code;
  };

  bool dead() const { return inventory_.library_dead; }
  bool went_well(Answer answer) {
    if (answer.ok()) return true;
    inventory_.worst = answer;
    inventory_.library_dead = answer.outcome == Outcome::kLibraryDead;
    return false;
  }

  void open_known() {
    for (std::uint32_t seat = 0; seat < found_.size() && !dead(); ++seat) {
      if (!known_.seats()[seat].alone) open_by_address(seat);
    }
  }

  void open_by_address(std::uint32_t seat) {
    Opening opening = backend_.open_by_address(seat, known_.seats()[seat].pci);
    // It is not there, or the library does not do this.
    const Outcome outcome = opening.answer.outcome;
    if (outcome == Outcome::kNotThere || outcome == Outcome::kUnsupported) return;
    if (!went_well(opening.answer)) return lost_.push_back({seat, kNoDevice, opening.call, opening.answer.code});
    if (opening.index >= taken_.size() || taken_[opening.index]) return;
    take(std::move(opening), seat);
  }

  // Where the library opens nothing by address, a device that must not be touched is where it was, unless another look
  // finds it elsewhere or the devices are not as many as they were: so those indices come last.
  void open_others() {
    for (const bool suspect : {false, true}) {
      for (std::uint32_t index = 0; index < taken_.size() && !dead(); ++index) {
        if (taken_[index] || known_.index_alone(index) || suspected(index) != suspect) continue;
        if (!suspect || !is_left_alone(index)) open_by_index(index);
      }
    }
  }

  bool suspected(std::uint32_t index) const {
    return std::ranges::any_of(known_.seats(), [&](const auto& seat) { return seat.alone && seat.index == index; });
  }

  bool is_left_alone(std::uint32_t index) const {
    for (std::uint32_t seat = 0; seat < found_.size(); ++seat) {
      const auto& known = known_.seats()[seat];
      if (known.alone && known.index == index && !found_[seat]) return taken_.size() >= found_.size();
    }
    return false;
  }

  void open_by_index(std::uint32_t index) {
    Opening opening = backend_.open_by_index(index);
    if (!went_well(opening.answer)) return lost_.push_back({kNoDevice, index, opening.call, opening.answer.code});
    const auto known = known_.seat_of(opening.pci);
    if (!known && next_seat_ >= kMaxDevices) return;
    const std::uint32_t seat = known ? *known : next_seat_++;
    if (known && (found_[seat] || known_.seats()[seat].alone)) {
      taken_[index] = found_[seat] = true;
      return;
    }
    take(std::move(opening), seat);
  }

  void take(Opening opening, std::uint32_t seat) {
    taken_[opening.index] = true;
    if (seat < found_.size()) found_[seat] = true;
    DeviceIdentity& identity = opening.opened->identity;
    identity.seat = seat;
    identity.index = opening.index;
    put_text(identity.pci, opening.pci);
    backend_.identify(*opening.opened);
    reporter_.device(identity, driver_);
    inventory_.devices.push_back(std::move(opening.opened));
  }

  // The one known device that is not there is the one that could not be opened.
  void report_lost() {
    if (dead()) return;
    std::vector<std::uint32_t> missing;
    for (std::uint32_t seat = 0; seat < found_.size(); ++seat) {
      const bool accounted = found_[seat] || known_.seats()[seat].alone ||
                             std::ranges::any_of(lost_, [&](const Loss& loss) { return loss.seat == seat; });
      if (!accounted) missing.push_back(seat);
    }
    const auto unnamed = std::ranges::count(lost_, kNoDevice, &Loss::seat);
    for (const Loss& loss : lost_) {
      const bool it_is = loss.seat == kNoDevice && unnamed == 1 && missing.size() == 1;
      reporter_.device_lost(it_is ? missing.front() : loss.seat, vendor_call_name(loss.call), loss.code, loss.index);
    }
  }

  Backend& backend_;
  Reporter& reporter_;
  const KnownDevices& known_;
  const std::string& driver_;
  std::vector<bool> found_;  // by known seat
  std::vector<bool> taken_;  // by index
  std::uint32_t next_seat_;
  std::vector<Loss> lost_;
  Inventory inventory_;
};

}  // namespace

Inventory take_inventory(Backend& backend, Reporter& reporter, const KnownDevices& known, const std::string& driver) {
  return Lister(backend, reporter, known, driver).list();
}

}  // namespace faultline
