// Device files, their folders, and where the stand-in library's control file lies.
#include "vendor/nvml/driver_files.h"

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace faultline::nvml {
namespace {

std::string folder_of_file(const std::string& path) { return path.substr(0, path.rfind('/')); }

bool file_exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

DriverFiles driver_files(const std::string& library) {
  DriverFiles files;
  if (DIR* const folder = opendir("/dev")) {
    while (const dirent* entry = readdir(folder)) {
      if (std::strncmp(entry->d_name, "nvidia", 6) == 0) files.devices.push_back(std::string("/dev/") + entry->d_name);
    }
    closedir(folder);
  }
  files.folders = {"/usr/share/nvidia"};
  // The stand-in's control file comes and goes in its folder, or lies next to the library.
  if (library.find('/') != std::string::npos) {
    const std::string control = folder_of_file(library) + "/nvml.control";
    if (file_exists(control)) files.needed.push_back(control);
  }
  const char* const named = std::getenv("FAULTLINE_FAKE_NVML");
  if (named != nullptr && *named != '\0') {
    const std::string control(named);
    if (control.rfind('/') != std::string::npos && control.rfind('/') > 0) files.folders.push_back(folder_of_file(control));
    files.needed.push_back(file_exists(control) ? control : folder_of_file(control));
  }
  return files;
}

}  // namespace faultline::nvml
