// Which disks and network interfaces are real hardware, by what sysfs links them to; virtual ones would count twice.
#pragma once

#include <string>
#include <unordered_map>

namespace faultline {

class PhysicalDevices {
 public:
  explicit PhysicalDevices(std::string sys) : sys_(std::move(sys)) {}
  // Looks every name up again the next time: devices come, go and change names.
  void forget();
  bool is_disk(const std::string& name);
  // The folder of its device, every link followed; empty for what is virtual, and for the virtual functions of a card, whose
  // traffic the card counts itself.
  const std::string& interface_device(const std::string& name);

 private:
  struct Known {
    std::unordered_map<std::string, std::string> devices;  // name → folder, empty where it is not real
    std::size_t real = 0;
  };
  template <typename Look>
  const std::string& remembered(Known& known, const std::string& name, Look look);

  const std::string sys_;
  Known disks_;
  Known interfaces_;
};

}  // namespace faultline
