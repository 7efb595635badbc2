// Reads the files of procfs that tell about one process, and takes out of their text what is asked for.
#include "core/processes/process_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>

#include "core/files/descriptor.h"
#include "core/processes/printed_log.h"

namespace faultline {
namespace {

constexpr std::size_t kMostVariable = 4096;
constexpr std::size_t kMostWords = 4096;
constexpr std::size_t kMostProcessGroups = 65'536;  // NGROUPS_MAX
constexpr std::size_t kPieceBytes = 8 * 1024;
constexpr std::size_t kMostFileNames = 65'536;
constexpr std::size_t kMostSmallFile = 4096;
constexpr std::size_t kMostStatusText = 64 * 1024;
constexpr std::size_t kMostDescriptors = 4096;
constexpr std::size_t kMostWrittenFiles = 64;
// As long as the kernel lets one string be; real environments have a few KiB.
constexpr std::size_t kMostEnvironment = 256 * 1024;
constexpr std::size_t kMostMaps = 4 * 1024 * 1024;

// The unsigned number that `text` begins with; nothing where it begins with none or does not fit.
template <typename Number>
std::optional<Number> number_at(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// What follows `label` in the line that begins with it.
std::string_view line_of(std::string_view text, std::string_view label) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(label)) return line.substr(label.size());
    at = end + 1;
  }
  return {};
}

// Of /proc/<pid>/stat from this field on; empty where it has not so many.
std::string_view from_field(std::string_view stat, int field) {
  // The name in brackets may hold anything, brackets included: fields count from the last one.
  const std::size_t bracket = stat.rfind(") ");
  if (bracket == std::string_view::npos) return {};
  std::string_view rest = stat.substr(bracket + 2);
  for (int at = 3; at < field; ++at) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return {};
    rest.remove_prefix(blank + 1);
  }
  return rest;
}

}  // namespace

int ProcessFiles::read(const std::string& path, std::size_t most, std::string& text) const {
  text.clear();
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return errno;
  int error = 0;
  while (text.size() < most) {
    const std::size_t before = text.size();
    text.resize(std::min(most, before + kPieceBytes));
    const ssize_t count = ::read(file, text.data() + before, text.size() - before);
    if (count < 0) error = errno;
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count <= 0) break;
  }
  ::close(file);
  return error;
}

int ProcessFiles::list(const std::string& path, std::vector<ListedFile>& files) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), [](DIR* open) { return ::closedir(open); });
  if (!folder) return errno;
  while (files.size() < kMostFileNames) {
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    files.push_back({entry->d_name, entry->d_ino});
  }
  return 0;
}

int ProcessFiles::link(const std::string& path, std::string& target) const {
  char buffer[4096];
  const ssize_t size = ::readlink(path.c_str(), buffer, sizeof buffer);
  if (size < 0) return errno;
  target.assign(buffer, static_cast<std::size_t>(size));
  return 0;
}

int ProcessFiles::owner(const std::string& path, std::uint32_t& user) const {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return errno;
  user = info.st_uid;
  return 0;
}

std::uint64_t ProcessFiles::inode(const std::string& path) const {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

std::optional<std::uint32_t> ProcessFiles::newest(const std::string& proc) const {
  std::string self;
  std::string text;
  // The procfs of another namespace has other numbers than ours, and tells the last one of ours all the same.
  const std::string own = std::to_string(::getpid());
  if (link(proc + "/self", self) != 0 || self != own) return std::nullopt;
  if (read(proc + "/self/status", kMostSmallFile, text) != 0 || line_of(text, "NSpid:\t") != own) return std::nullopt;
  return read(proc + "/loadavg", kMostSmallFile, text) == 0 ? newest_number(text) : std::nullopt;
}

ProcessNumber ProcessFiles::number(std::uint32_t pid) const {
  // Unlike kill, it tells a process from a thread.
  const long file = ::syscall(SYS_pidfd_open, pid, 0);
  if (file >= 0) {
    pollfd end{static_cast<int>(file), POLLIN, 0};
    const bool ended = ::poll(&end, 1, 0) == 1 && (end.revents & POLLIN) != 0;
    ::close(end.fd);
    return ended ? ProcessNumber::ended : ProcessNumber::process;
  }
  // ENOENT and EINVAL: a thread.
  return errno == ESRCH || errno == EINVAL || errno == ENOENT ? ProcessNumber::none : ProcessNumber::refused;
}

ProcessNumber ProcessFiles::still(std::uint32_t pid) const {
  // Asks for no right, and takes no descriptor.
  if (::getpgid(static_cast<pid_t>(pid)) >= 0) return ProcessNumber::process;
  return errno == ESRCH ? ProcessNumber::none : ProcessNumber::refused;
}

int ProcessFiles::variables(const std::string& folder, const ProcessKey&, const std::vector<std::string>& names,
                            std::vector<std::optional<std::string>>& values) const {
  std::string text;
  const int error = read(folder + "/environ", kMostEnvironment, text);
  if (error == 0) values = environment_values(text, names);
  ::explicit_bzero(text.data(), text.size());  // what else is in an environment does not stay in our memory
  return error;
}

int ProcessFiles::libraries(const std::string& folder, const ProcessKey&, const std::vector<std::string>& wanted,
                            std::vector<std::string>& found) const {
  std::string maps;
  const int error = wanted.empty() ? 0 : read(folder + "/maps", kMostMaps, maps);
  for (const std::string& library : wanted)
    if (maps.find(library) != std::string::npos) found.push_back(library);
  return error;
}

int ProcessFiles::open_files(const std::string& folder, const ProcessKey&, const std::vector<std::string>& devices,
                             std::vector<OpenFile>& open) const {
  std::vector<ListedFile> descriptors;
  if (const int error = list(folder + "/fd", descriptors); error != 0) return error;
  descriptors.resize(std::min(descriptors.size(), kMostDescriptors));
  std::string target;
  std::string info;
  std::size_t written = 0;
  int error = 0;
  for (const auto& [name, inode] : descriptors) {
    if (name.starts_with('.')) continue;
    if (const int failed = link(folder + "/fd/" + name, target); failed != 0) {
      if (failed == EACCES || failed == EPERM) error = failed;
      continue;
    }
    const bool device = std::ranges::any_of(devices, [&](const std::string& one) { return target.starts_with(one); });
    const std::uint16_t is = device ? std::uint16_t{environ_reader::kDeviceFile} : kind_of_file(name, target, true);
    if (is == 0) continue;
    if ((is & environ_reader::kWritten) == 0) {
      open.push_back({target, 0, is});
    } else if (written < kMostWrittenFiles && read(folder + "/fdinfo/" + name, kMostSmallFile, info) == 0 &&
               (number_behind(info, "flags:", 8) & O_ACCMODE) != O_RDONLY) {
      ++written;
      open.push_back({target, number_behind(info, "ino:", 10), is});
    }
  }
  return error;
}

int ProcessFiles::input(const std::string& folder, const ProcessKey&, bool, std::string& target) const {
  return link(folder + "/fd/0", target);
}

int ProcessFiles::lend_log(const std::string& folder, const ProcessKey& process, std::uint64_t inode) const {
  const Descriptor descriptors(::open((folder + "/fd").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptors) return -errno;
  Descriptor log(open_printed_log(descriptors.get(), inode));
  if (!log) return log.release();
  std::string status;
  std::string stat_text;
  struct stat file {};
  const bool judged = read(folder + "/status", kMostStatusText, status) == 0 && ::fstat(log.get(), &file) == 0;
  if (!judged || read(folder + "/stat", kMostSmallFile, stat_text) != 0 || start_ticks(stat_text) != process.start_ticks) return -ESRCH;
  return may_read_log(status, file) ? log.release() : -EPERM;
}

std::vector<std::optional<std::string>> environment_values(std::string_view environ,
                                                           const std::vector<std::string>& names) {
  std::vector<std::optional<std::string>> values(names.size());
  for (std::size_t at = 0; at < environ.size();) {
    const std::size_t end = std::min(environ.find('\0', at), environ.size());
    const std::string_view entry = environ.substr(at, end - at);
    at = end + 1;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || entry.size() - equals > kMostVariable) continue;
    const auto name = std::find(names.begin(), names.end(), entry.substr(0, equals));
    if (name != names.end()) values[static_cast<std::size_t>(name - names.begin())] = entry.substr(equals + 1);
  }
  return values;
}

bool is_plain_value(std::string_view value) {
  constexpr std::string_view kMarks = "_.:,/+@-=^%~#[]{}()*";
  return std::ranges::all_of(value, [&](char each) {
    const auto byte = static_cast<unsigned char>(each);
    const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    return letter || (byte >= '0' && byte <= '9') || byte >= 0x80 || kMarks.find(each) != std::string_view::npos;
  });
}

std::uint64_t start_ticks(std::string_view stat) { return number_at<std::uint64_t>(from_field(stat, 22)).value_or(0); }

std::uint64_t program_mark(std::string_view stat) {
  std::string_view rest = from_field(stat, 26);
  std::uint64_t mark = 0xcbf29ce484222325;  // FNV-1a
  for (int field = 26; field <= 51; ++field) {
    const auto value = number_at<std::uint64_t>(rest);
    if (!value || (field == 28 && *value == 0)) return 0;  // whoever may not know it is given zeros
    if (field <= 28 || field >= 45) mark = (mark ^ *value) * 0x100000001b3;
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos && field < 51) return 0;
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return mark == 0 ? 1 : mark;
}

std::optional<std::uint32_t> newest_number(std::string_view loadavg) {
  while (!loadavg.empty() && loadavg.back() == '\n') loadavg.remove_suffix(1);
  const std::size_t blank = loadavg.rfind(' ');
  return blank == std::string_view::npos ? std::nullopt : number_at<std::uint32_t>(loadavg.substr(blank + 1));
}

std::uint32_t parent_of(std::string_view stat) {
  const std::size_t bracket = stat.rfind(") ");
  if (bracket == std::string_view::npos || stat.size() < bracket + 5) return 0;
  return number_at<std::uint32_t>(stat.substr(bracket + 4)).value_or(0);
}

bool is_zombie(std::string_view stat) {
  const std::size_t bracket = stat.rfind(") ");
  if (bracket == std::string_view::npos || stat.size() < bracket + 3) return false;
  const char state = stat[bracket + 2];
  return state == 'Z' || state == 'X';
}

std::uint32_t inner_pid(std::string_view status) {
  // "NSpid:\t<outermost>\t…\t<innermost>"
  const std::string_view line = line_of(status, "NSpid:\t");
  const std::size_t tab = line.rfind('\t');
  return number_at<std::uint32_t>(tab == std::string_view::npos ? line : line.substr(tab + 1)).value_or(0);
}

std::vector<std::uint32_t> owner_of(std::string_view status) {
  // "Uid:\t<real>\t<effective>\t<saved>\t<file system>"
  const auto effective = [&](std::string_view label) -> std::optional<std::uint32_t> {
    const std::string_view line = line_of(status, label);
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return std::nullopt;
    return number_at<std::uint32_t>(line.substr(tab + 1));
  };
  const auto user = effective("Uid:\t");
  if (!user) return {};
  std::vector<std::uint32_t> owner{*user};
  if (const auto group = effective("Gid:\t")) owner.push_back(*group);
  std::string_view groups = line_of(status, "Groups:\t");
  while (!groups.empty() && owner.size() < kMostProcessGroups) {
    const std::size_t blank = std::min(groups.find(' '), groups.size());
    if (const auto group = number_at<std::uint32_t>(groups.substr(0, blank))) owner.push_back(*group);
    groups.remove_prefix(std::min(blank + 1, groups.size()));
  }
  return owner;
}

std::vector<std::string> command_words(std::string_view cmdline) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < cmdline.size() && words.size() < kMostWords;) {
    const std::size_t end = std::min(cmdline.find('\0', at), cmdline.size());
    words.emplace_back(cmdline.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace faultline
