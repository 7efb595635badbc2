// Landlock: from when they hold, this process and what it starts reach the named files and nothing else in the file system,
// no process outside, and no network unless that is allowed. Kernels before 5.13 do not have it.
#pragma once

#include <cstdint>
#include <string>

namespace faultline::confine {

class FileRules {
 public:
  enum class Network { kNone, kAllowed };
  explicit FileRules(Network network = Network::kNone);
  ~FileRules();
  FileRules(const FileRules&) = delete;
  FileRules& operator=(const FileRules&) = delete;

  // Whether the kernel has it.
  bool possible() const { return ruleset_ >= 0; }
  // Files and folders with all beneath them; what is not there is passed over. Opened now, with the rights of now.
  void may_read(const std::string& path);
  void may_run(const std::string& path);      // read, too
  void may_use(const std::string& path);      // a device: read, write, its own commands
  // Begins to hold; false where the kernel does not have it. For after no_new_privileges.
  bool hold();

 private:
  void add(const std::string& path, std::uint64_t access);

  int ruleset_ = -1;
  std::uint64_t handled_ = 0;
};

}  // namespace faultline::confine
