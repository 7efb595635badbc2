// Its own folder for one test, removed afterwards, and the one line that writes a file into it.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <stdlib.h>

namespace faultline {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "faultline-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  // Replaces the content; folders on the way are made.
  void write(const std::string& name, const std::string& text, bool append = false) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), append ? std::ios::app : std::ios::trunc) << text;
  }
  const std::string& root() const { return path_; }

 private:
  std::string path_;
};

}  // namespace faultline
