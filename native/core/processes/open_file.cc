// The files that a process has open, as far as anything asks for them.
#include "core/processes/open_file.h"

#include <string.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "core/processes/allowed.h"

namespace faultline {
namespace {

using namespace environ_reader;

bool is_path(std::string_view target) {
  return target.starts_with('/') && !target.starts_with("/dev/") && !target.starts_with("/proc/") &&
         !target.starts_with("/memfd:") && target.find('\0') == std::string_view::npos;
}

bool is_pipe(std::string_view target) {
  constexpr std::string_view kStart = "pipe:[";
  return target.size() <= 32 && target.starts_with(kStart) && target.ends_with(']') &&
         std::ranges::all_of(target.substr(kStart.size(), target.size() - kStart.size() - 1),
                             [](char each) { return each >= '0' && each <= '9'; });
}

bool is_allowed_device(std::string_view target) {
  return target.find('\0') == std::string_view::npos &&
         std::ranges::any_of(allowed::kDevices, [&](std::string_view one) { return target.starts_with(one); });
}

bool may_be_named(std::uint16_t is, std::string_view text) {
  switch (is) {
    case kWritten:
    case kWritten | kOutput:
      return is_path(text);
    case kInputPipe:
    case kOutputPipe:
      return is_pipe(text);
    case kDeviceFile:
      return is_allowed_device(text);
    default:
      return false;
  }
}

}  // namespace

std::uint16_t kind_of_file(std::string_view number, std::string_view target, bool writes) {
  const bool output = number == "1" || number == "2";
  if (is_pipe(target)) {
    if (output) return kOutputPipe;
    return number == "0" ? std::uint16_t{kInputPipe} : std::uint16_t{0};
  }
  if (is_allowed_device(target)) return kDeviceFile;
  if (!writes || !is_path(target)) return 0;
  return output ? std::uint16_t{kWritten | kOutput} : std::uint16_t{kWritten};
}

std::uint64_t number_behind(std::string_view info, std::string_view label, int base) {
  const std::size_t at = info.find(label);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = info.substr(at + label.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  std::uint64_t value = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  return value;
}

namespace environ_reader {

std::size_t write_file(char* into, std::size_t most, const FileHead& head, std::string_view text) {
  if (text.size() > kMostValue || sizeof head + text.size() > most) return 0;
  FileHead whole = head;
  whole.size = static_cast<std::uint16_t>(text.size());
  ::memcpy(into, &whole, sizeof whole);
  ::memcpy(into + sizeof whole, text.data(), text.size());
  return sizeof whole + text.size();
}

std::optional<std::vector<OpenFile>> read_files(std::string_view bytes) {
  std::vector<OpenFile> files;
  while (!bytes.empty()) {
    FileHead head;
    if (bytes.size() < sizeof head) return std::nullopt;
    ::memcpy(&head, bytes.data(), sizeof head);
    bytes.remove_prefix(sizeof head);
    if (head.size > kMostValue || head.size > bytes.size() || !may_be_named(head.is, bytes.substr(0, head.size))) return std::nullopt;
    files.push_back({std::string(bytes.substr(0, head.size)), head.inode, head.is});
    bytes.remove_prefix(head.size);
  }
  return files;
}

}  // namespace environ_reader
}  // namespace faultline
