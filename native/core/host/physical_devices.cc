// Which disks and network interfaces are real hardware.
#include "core/host/physical_devices.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace faultline {
namespace {

// More than any host has; hundreds of container interfaces are virtual and do not count here.
constexpr std::size_t kMostDevices = 64;
// Names that were looked up, real or not: a host full of containers makes and drops interfaces all day.
constexpr std::size_t kMostDeviceNames = 4096;
constexpr std::size_t kMostName = 64;
const std::string kNone;

// A name that cannot lead out of its folder.
bool is_file_name(const std::string& name) {
  return !name.empty() && name.size() <= kMostName && name != "." && name != ".." &&
         name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string resolved_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? std::string(real.get()) : std::string();
}

}  // namespace

void PhysicalDevices::forget() {
  disks_ = {};
  interfaces_ = {};
}

bool PhysicalDevices::is_disk(const std::string& name) {
  // The kernel writes the "/" of a disk's name ("cciss/c0d0") as "!" in sysfs.
  std::string file = name;
  std::replace(file.begin(), file.end(), '/', '!');
  return !remembered(disks_, file, [&] {
            const std::string device = sys_ + "/block/" + file + "/device";
            return exists(device) ? device : std::string();
          }).empty();
}

const std::string& PhysicalDevices::interface_device(const std::string& name) {
  return remembered(interfaces_, name, [&] {
    const std::string device = sys_ + "/class/net/" + name + "/device";
    return !exists(device) || exists(device + "/physfn") ? std::string() : resolved_path(device);
  });
}

template <typename Look>
const std::string& PhysicalDevices::remembered(Known& known, const std::string& name, Look look) {
  const auto before = known.devices.find(name);
  if (before != known.devices.end()) return before->second;
  if (!is_file_name(name) || known.devices.size() >= kMostDeviceNames) return kNone;
  std::string found = look();
  if (!found.empty() && known.real >= kMostDevices) found.clear();
  if (!found.empty()) ++known.real;
  return known.devices.emplace(name, std::move(found)).first->second;
}

}  // namespace faultline
