// One dump file: found in folders, read only when it is a plain file of bounded size.
#include "flight_recorder/files/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "flight_recorder/limits.h"

namespace faultline::flight_recorder {
namespace {

constexpr unsigned MAX_FOLDER_DEPTH = 2;

// Not a dump, whatever it holds.
bool passed_over(std::string_view name) {
  if (name.empty() || name.front() == '.') return true;
  for (const std::string_view end : {".md", ".txt", ".log", ".pipe", ".py", ".yaml", ".yml", ".html", ".out", ".err", ".part", ".tmp"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

void enter(const std::string& folder, unsigned depth, std::vector<FoundFile>& found, std::vector<std::string>& errors) {
  DIR* open = ::opendir(folder.c_str());
  if (open == nullptr) {
    errors.push_back(folder + ": " + std::strerror(errno));
    return;
  }
  while (const dirent* each = ::readdir(open)) {
    if (passed_over(each->d_name) || found.size() >= MAX_FILES) continue;
    const std::string path = folder + (folder.ends_with('/') ? "" : "/") + each->d_name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) continue;
    if (S_ISREG(status.st_mode)) found.push_back({path, false});
    if (S_ISDIR(status.st_mode) && depth < MAX_FOLDER_DEPTH) enter(path, depth + 1, found, errors);
  }
  ::closedir(open);
}

// A fault of the file itself is printed after its path; one of a folder above it names that folder.
std::string said(const std::string& path, const Refused& refused) {
  if (refused.why == Refusal::system) return std::strerror(refused.error);
  if (refused.why == Refusal::kind) return "is not a plain file";
  return refused.where == path ? refused.reason.substr(path.size() + 1) : refused.reason;
}

bool is_link(int folder, const std::string& name) {
  const int fd = ::openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
  struct stat status {};
  const bool link = fd >= 0 && ::fstat(fd, &status) == 0 && S_ISLNK(status.st_mode);
  if (fd >= 0) ::close(fd);
  return link;
}

}  // namespace

FileBytes read_file(const std::string& path) { return FileReader().read(path); }

FileBytes FileReader::read(const std::string& path, const Named& named) {
  FileBytes file;
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  Refused refused;
  if (folder != folder_ || named.user != named_.user || named.groups != named_.groups || at_.fd() < 0) {
    folder_ = folder;
    named_ = named;
    if (!at_.enter(folder, refused, named)) return file.error = said(path, refused), file;
  }
  // Whose link it is does not matter: what a folder of dumps leads to is given by its own name.
  if (is_link(at_.fd(), name)) return file.error = "is a symbolic link", file;
  const int fd = at_.open(name, Purpose::read, refused);
  if (fd < 0) return file.error = said(path, refused), file;
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    file.error = std::strerror(errno);
  } else if (!S_ISREG(status.st_mode)) {
    file.error = "is not a plain file";
  } else if (static_cast<std::uint64_t>(status.st_size) > MAX_FILE_BYTES) {
    file.error = "is larger than 64 MiB";
  } else if (status.st_size == 0) {
    // As good as none: a dump that is cut off would not show whether its rank had come.
    file.error = "is empty: its disk was full, or its writer ended before it wrote";
  } else {
    file.modified_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    file.bytes.resize(static_cast<std::size_t>(status.st_size));
    std::size_t have = 0;
    while (have < file.bytes.size()) {
      const ssize_t got = ::read(fd, file.bytes.data() + have, file.bytes.size() - have);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) file.error = std::strerror(errno);
      if (got <= 0) break;  // it shrank meanwhile: what is there is what we read
      have += static_cast<std::size_t>(got);
    }
    file.bytes.resize(have);
  }
  ::close(fd);
  return file;
}

std::vector<FoundFile> find_files(const std::vector<std::string>& paths, std::vector<std::string>& errors) {
  std::vector<FoundFile> found;
  for (const std::string& path : paths) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      errors.push_back(path + ": " + std::strerror(errno));
    } else if (S_ISDIR(status.st_mode)) {
      enter(path, 0, found, errors);
    } else {
      found.push_back({path, true});
    }
  }
  std::sort(found.begin(), found.end(), [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
  found.erase(std::unique(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path == b.path; }),
              found.end());
  return found;
}

}  // namespace faultline::flight_recorder
