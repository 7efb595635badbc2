// A vendor child under its supervisor, with the stand-in library and its control file in a folder of their own.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "check.h"
#include "collecting_sink.h"
#include "core/vendor/link.h"
#include "temporary_folder.h"

namespace faultline {

class VendorRack {
 public:
  using Lines = std::map<std::string, std::string>;

  explicit VendorRack(const Lines& control = {}, std::function<void(VendorLinkOptions&)> change = {}) {
    set(control);
    install();
    VendorLinkOptions options{.executable = std::string(FAULTLINE_BUILT) + "/faultline-vendor",
                              .library = library(),
                              .interval_ns = 50'000'000,
                              .burst_interval_ns = 20'000'000,
                              .call_deadline_ns = 2'000'000'000};
    if (change) change(options);
    link_ = std::make_unique<VendorLink>(sink, options);
  }

  VendorRack(const VendorRack&) = delete;
  VendorRack& operator=(const VendorRack&) = delete;

  std::string library() const { return folder_.path("libnvidia-ml.so.1"); }
  void install() {
    std::filesystem::copy_file(std::string(FAULTLINE_BUILT) + "/libnvidia-ml.so.1", folder_.path("new"),
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(folder_.path("new"), library());
  }
  // Changes lines of the control file; an empty value takes one out.
  void set(const Lines& lines) {
    for (const auto& [key, value] : lines) {
      if (value.empty()) control_.erase(key);
      else control_[key] = value;
    }
    std::string text;
    for (const auto& [key, value] : control_) text += key + " " + value + "\n";
    folder_.write("control.new", text);
    std::filesystem::rename(folder_.path("control.new"), folder_.path("nvml.control"));
  }

  VendorLink& link() { return *link_; }
  pid_t pid() const { return link_->pid(); }
  // Until a notice is there; false after half a minute.
  bool reported(const std::string& type, const std::string& name) {
    return sink->wait([&] { return sink->noticed(type, name); });
  }
  // Until the driver's events are waited for: what came before is not reported.
  bool watched() {
    return sink->wait([&] {
      for (const Notice& notice : sink->notices()) {
        if (notice.type == "part_state" && notice.text.ends_with("are watched")) return true;
      }
      return false;
    });
  }
  // The last of that type and name.
  Notice last(const std::string& type, const std::string& name) const {
    Notice found;
    for (const Notice& notice : sink->notices()) {
      if (notice.type == type && notice.name == name) found = notice;
    }
    return found;
  }
  std::size_t count(const std::string& type, const std::string& name = "") const {
    std::size_t count = 0;
    for (const Notice& notice : sink->notices()) count += notice.type == type && (name.empty() || notice.name == name) ? 1 : 0;
    return count;
  }
  // Until the device gives a sample that is read after this call.
  bool fresh(unsigned index, const std::string& quantity = "power") {
    const std::string key = "gpu/" + pci(index) + "#" + quantity;
    const std::size_t before = sink->samples(key).size();
    // Two: the first may have been read before.
    return sink->wait([&] { return sink->samples(key).size() >= before + 2; });
  }
  std::size_t samples(unsigned index) const { return sink->samples("gpu/" + pci(index) + "#power").size(); }

  static std::string pci(unsigned index) {
    static constexpr const char* kBuses[]{"1b", "43", "52", "61", "9d", "c3", "d1", "df"};
    if (index < 8) return std::string("0000:") + kBuses[index] + ":00.0";
    constexpr const char* kDigits = "0123456789abcdef";
    return std::string("0001:1") + kDigits[(index - 8) % 16] + ":00.0";
  }

  std::shared_ptr<CollectingSink> sink = std::make_shared<CollectingSink>();

 private:
  TemporaryFolder folder_;
  Lines control_;
  std::unique_ptr<VendorLink> link_;
};

}  // namespace faultline
