// Opens each device without touching one that is to be left alone, also when the driver numbers its devices otherwise than
// when that one hung: to open by index is to touch whatever has that index now.
#include "vendor/inventory.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace faultline {
namespace {

constexpr unsigned kHighestPlace = 65535;  // of slots, NUMA nodes, architectures; all ones means unknown

class Lister {
 public:
  Lister(const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter, const KnownDevices& known, const std::string& driver)
      : nvml_(nvml), calls_(calls), reporter_(reporter), known_(known), driver_(driver), found_(known.seats().size()),
        next_seat_(static_cast<std::uint32_t>(known.seats().size())) {}

  Inventory list() {
    unsigned count = 0;
    if (!went_well(calls_.call(VendorCall::kCount, kNoDevice, nvml_.count, &count))) return std::move(inventory_);
    inventory_.seen = count;
    taken_.resize(std::min<std::size_t>(count, kMaxDevices));
    if (nvml_.handle_by_pci != nullptr && nvml_.index != nullptr) open_known();
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
    nvml::Return code;
  };

  bool dead() const { return inventory_.library_dead; }
  bool went_well(nvml::Return result) {
    if (result == nvml::kSuccess) return true;
    inventory_.worst = result;
    inventory_.library_dead = classify(result) == CodeClass::kLibraryDead;
    return false;
  }

  void open_known() {
    for (std::uint32_t seat = 0; seat < found_.size() && !dead(); ++seat) {
      if (!known_.seats()[seat].alone) open_by_address(seat);
    }
  }

  void open_by_address(std::uint32_t seat) {
    Gpu gpu;
    gpu.identity.seat = seat;
    const std::string& pci = known_.seats()[seat].pci;
    const nvml::Return result = calls_.call(VendorCall::kHandleByPci, seat, nvml_.handle_by_pci, pci.c_str(), &gpu.handle);
    // The driver has let go of it, or it was taken out; or the library does not do this.
    const bool gone = result == nvml::kNotFound || result == nvml::kGpuNotFound;
    if (gone || classify(result) == CodeClass::kUnsupported) return;
    if (!went_well(result)) return lost_.push_back({seat, kNoDevice, VendorCall::kHandleByPci, result});
    unsigned index = 0;
    if (calls_.call(VendorCall::kIndex, seat, nvml_.index, gpu.handle, &index) != nvml::kSuccess) return;
    if (index >= taken_.size() || taken_[index]) return;
    take(gpu, pci, index);
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
    Gpu gpu;
    const std::uint32_t place = kFirstIndex + index;
    VendorCall call = VendorCall::kHandleByIndex;
    nvml::Return result = calls_.call(call, place, nvml_.handle_by_index, index, &gpu.handle);
    nvml::PciInfo pci{};
    if (result == nvml::kSuccess) {
      call = VendorCall::kPciInfo;
      result = calls_.call(call, place, nvml_.pci_info, gpu.handle, &pci);
    }
    if (!went_well(result)) return lost_.push_back({kNoDevice, index, call, result});
    const std::string address = canonical_pci(pci);
    const auto seat = known_.seat_of(address);
    if (!seat && next_seat_ >= kMaxDevices) return;
    gpu.identity.seat = seat ? *seat : next_seat_++;
    if (seat && (found_[*seat] || known_.seats()[*seat].alone)) {
      taken_[index] = found_[*seat] = true;
      return;
    }
    take(gpu, address, index);
  }

  void take(Gpu& gpu, const std::string& address, std::uint32_t index) {
    taken_[index] = true;
    DeviceIdentity& identity = gpu.identity;
    if (identity.seat < found_.size()) found_[identity.seat] = true;
    identity.index = index;
    put_text(identity.pci, address);
    // What follows is decoration: a device without a serial is still a device.
    calls_.call(VendorCall::kUuid, identity.seat, nvml_.uuid, gpu.handle, &identity.uuid[0], nvml::kUuidSize);
    calls_.call(VendorCall::kName, identity.seat, nvml_.name, gpu.handle, &identity.name[0], nvml::kNameSize);
    calls_.call(VendorCall::kSerial, identity.seat, nvml_.serial, gpu.handle, &identity.serial[0], nvml::kSerialSize);
    const auto place = [&](VendorCall which, auto function, std::int32_t& out, unsigned highest) {
      unsigned number = 0;
      const bool known = calls_.call(which, identity.seat, function, gpu.handle, &number) == nvml::kSuccess;
      if (known && number <= highest) out = static_cast<std::int32_t>(number);
    };
    place(VendorCall::kMinorNumber, nvml_.minor_number, identity.minor, 0x7fffffff);
    place(VendorCall::kModuleId, nvml_.module_id, identity.module, kHighestPlace);
    place(VendorCall::kNumaNode, nvml_.numa_node, identity.numa_node, kHighestPlace);
    place(VendorCall::kArchitecture, nvml_.architecture, identity.architecture, kHighestPlace);
    reporter_.device(identity, driver_);
    inventory_.gpus.push_back(gpu);
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

  const NvmlLibrary& nvml_;
  CallContext& calls_;
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

std::string canonical_pci(const nvml::PciInfo& info) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", info.domain, info.bus & 0xff, info.device & 0x1f);
  return text;
}

Inventory take_inventory(const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter, const KnownDevices& known,
                         const std::string& driver) {
  return Lister(nvml, calls, reporter, known, driver).list();
}

}  // namespace faultline
