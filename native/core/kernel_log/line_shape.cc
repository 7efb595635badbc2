// What a kernel line is apart from what changes from line to line: lines of one shape are counted together in a storm.
#include "core/kernel_log/line_shape.h"

#include <array>
#include <cstddef>

namespace faultline {
namespace {

constexpr std::size_t kMaxName = 15;  // TASK_COMM_LEN without its end
constexpr std::size_t kMaxText = 320;
constexpr std::size_t kMaxShape = 160;
constexpr std::size_t kOtherShape = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '_'; }

// FNV-1a, of which each part is fed as it is found.
class Hash {
 public:
  void add(char c) {
    hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    ++size_;
  }
  void add(std::string_view text) {
    for (const char c : text) add(c);
  }
  std::size_t size() const { return size_; }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
  std::size_t size_ = 0;
};

// Messages in which a user's words stand: what opens them is their whole shape.
constexpr std::array kTasks = {
    std::string_view("INFO: task "),  std::string_view("task:"),           std::string_view("Out of memory"),
    std::string_view("Memory cgroup"), std::string_view("oom-kill:"),       std::string_view("oom_reaper:"),
    std::string_view("Killed process "), std::string_view("watchdog: BUG:"), std::string_view("BUG: soft lockup"),
    std::string_view("Memory failure: "), std::string_view("NVRM: API mismatch"),
};
// Messages of drivers and subsystems that tell of faults, as src/detection/text/kernel reads them. None of them is a name
// without blanks and a colon: the kernel opens a line with such a one for every network interface that a user renames.
constexpr std::array kDrivers = {
    std::string_view("NVRM: GPU "),       std::string_view("NVRM: The NVIDIA GPU "), std::string_view("NVRM: (PCI ID"),
    std::string_view("NVRM: installed "), std::string_view("NVRM: fallen off"),      std::string_view("NVRM: loading NVIDIA"),
    std::string_view("NVRM: This PCI I/O"), std::string_view("NVRM: BAR"),           std::string_view("NVRM: Rate limiting"),
    std::string_view("NVRM: Back to back"), std::string_view("NVRM: Xid"),           std::string_view("nvidia: probe of "),
    std::string_view("nvme nvme"),        std::string_view("EDAC MC"),               std::string_view("mce: [Hardware"),
    std::string_view("mce: CPU"),         std::string_view("mce: CMCI"),             std::string_view("Kernel panic - "),
    std::string_view("I/O error, dev "),  std::string_view("critical medium error, dev "), std::string_view("protection error, dev "),
    std::string_view("blk_update_request: "), std::string_view("print_req_error: "), std::string_view("Buffer I/O error"),
    std::string_view("md/raid"),          std::string_view("EXT4-fs ("),             std::string_view("EXT4-fs error ("),
    std::string_view("XFS ("),            std::string_view("nfs: server "),          std::string_view("Clock: inserting"),
    std::string_view("Clock: deleting"),  std::string_view("ACPI Error"),            std::string_view("ACPI BIOS Error"),
    std::string_view("ACPI Exception"),   std::string_view("power_meter "),     std::string_view("[Hardware Error]: "),
    std::string_view("thermal thermal_zone"), std::string_view("HARDWARE PROTECTION "), std::string_view("NETDEV WATCHDOG: "),
    std::string_view("[drm:amdgpu_"),     std::string_view("[drm:mes_"),         std::string_view("amdgpu: MES "),
    std::string_view("amdgpu: failed to "), std::string_view("amdgpu: Failed to "), std::string_view("amdgpu: The cp "),
    std::string_view("amdgpu: qcm fence "), std::string_view("lockd: server "),  std::string_view("NFS: state manager"),
    std::string_view("CIFS: VFS: "),      std::string_view("libceph: mon"),      std::string_view("libceph: osd"),
    std::string_view("ceph: mds"),        std::string_view("ceph: ["),           std::string_view("device-mapper: multipath"),
};

// "0000:9b:00", "00010000:9b:00.0": its length, 0 where there is none here.
std::size_t address_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && at < 8 && is_hex(text[at])) ++at;
  if (at < 4) return 0;
  for (int part = 0; part < 2; ++part) {
    if (at + 3 > text.size() || text[at] != ':' || !is_hex(text[at + 1]) || !is_hex(text[at + 2])) return 0;
    at += 3;
  }
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) at += 2;
  return at < text.size() && is_word(text[at]) ? 0 : at;
}

// Where the kernel's words continue after a name and its pid ("a[1]: ", "a (1): ", "a/1: "); 0 where no name opens the line.
std::size_t behind_name(std::string_view text) {
  for (std::size_t at = 0, characters = 0; at < text.size() && characters <= kMaxName; ++at) {
    const char c = text[at];
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++characters;
    if (c != '[' && c != '(' && c != '/') continue;
    std::size_t end = at + 1;
    while (end < text.size() && end - at <= 10 && is_digit(text[end])) ++end;
    if (end == at + 1) continue;
    if (c != '/') {
      if (end >= text.size() || text[end] != (c == '[' ? ']' : ')')) continue;
      ++end;
    }
    if (end >= text.size() || text[end] == ':' || text[end] == ' ' || text[end] == '.' || text[end] == ',') return end;
  }
  return 0;
}

// Whether "<driver> <PCI address>" opens the line.
bool names_device(std::string_view text) {
  std::size_t space = 0;
  while (space < text.size() && space < 32 && (is_word(text[space]) || text[space] == '-')) ++space;
  return space > 0 && space < text.size() && text[space] == ' ' && address_length(text.substr(space + 1)) > 0;
}

std::size_t past_words(std::string_view text, std::size_t at) {
  while (at < text.size() && (is_word(text[at]) || text[at] == '-')) ++at;
  return at;
}

bool has_digit(std::string_view text, std::size_t at) { return at < text.size() && is_digit(text[at]); }

std::string_view behind_number(std::string_view text, std::size_t at) {
  while (has_digit(text, at)) ++at;
  return text.substr(at);
}

// Openings that hold a number or a name of the driver's own.
bool opens_as_driver(std::string_view text) {
  for (const std::string_view opening : kDrivers) {
    if (text.starts_with(opening)) return true;
  }
  const std::size_t end = past_words(text, 0);
  const std::string_view behind = text.substr(end);
  if (text.starts_with("mlx5_")) return behind.starts_with(':') && has_digit(behind, 1);
  if (text.starts_with("nvidia-nvswitch")) return behind.starts_with(": SXid (");
  if (text.starts_with("CPU") && has_digit(text, 3)) return behind.starts_with(": Core") || behind.starts_with(": Package");
  if (text.starts_with("BTRFS")) return text.substr(0, 24).find(" (device ") != std::string_view::npos;
  if (text.starts_with("{")) return behind_number(text, 1).starts_with("}[Hardware Error]: ");
  if (text.starts_with("nvme")) return behind.starts_with(": ") && text.substr(0, 96).find(" @ LBA ") != std::string_view::npos;
  if (text.starts_with("wekafs")) return behind.starts_with(": ") && text.substr(0, 160).find(" down") != std::string_view::npos;
  if (text.starts_with("LustreError: ")) return has_digit(text, 13);
  if (text.starts_with("Lustre: ") && has_digit(text, 8)) return text.substr(0, 128).find(" @@@ Request sent ") != std::string_view::npos;
  if (text.starts_with("Lustre: ")) return text.substr(0, 192).find(": Connection ") != std::string_view::npos;
  return text.starts_with("NVRM: ") && text.substr(0, 160).find("Back to back GSP RPC") != std::string_view::npos;
}

bool is_long_hex(std::string_view word) {
  if (word.size() < 6) return false;
  bool digit = false;
  for (const char c : word) {
    if (!is_hex(c)) return false;
    digit = digit || is_digit(c);
  }
  return digit;
}

// Numbers are left out, but for those that say what of the hardware is meant.
void add_masked(Hash& hash, std::string_view text, bool keep_names, std::size_t most) {
  std::size_t at = 0;
  while (at < text.size() && hash.size() < most) {
    if (keep_names && text.substr(at).starts_with(", name=")) {
      // A process's name may be cut anywhere by its own words; the message that follows is a driver's.
      const std::size_t end = text.substr(0, at + 7 + kMaxName + 2).rfind(", ");
      hash.add('n');
      if (end <= at || end == std::string_view::npos) return;
      at = end;
      continue;
    }
    if (!is_word(text[at])) {
      hash.add(text[at++]);
      continue;
    }
    const std::size_t address = keep_names ? address_length(text.substr(at)) : 0;
    std::size_t end = at + address;
    while (address == 0 && end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const std::string_view before = text.substr(0, at);
    const bool numbered = keep_names && word.size() <= 5 && (before.ends_with("): ") || before.ends_with("ink "));
    bool digits = is_digit(word[0]);
    for (const char c : word) digits = digits || (!keep_names && is_digit(c));
    if (address > 0 || numbered || (!digits && !is_long_hex(word))) {
      hash.add(word);
    } else {
      hash.add('#');
    }
    at = end;
  }
}

// "NVRM: Xid (PCI:0000:9b:00): 79, pid=7, name=x, ...": the head with its number, the link, and how bad the driver calls it.
// False where the head is another.
bool add_xid(Hash& hash, std::string_view text) {
  if (!text.starts_with("NVRM: Xid (")) return false;
  const std::size_t close = text.substr(0, 64).find("): ");
  if (close == std::string_view::npos || !has_digit(text, close + 3)) return false;
  std::size_t at = close + 3;
  while (has_digit(text, at)) ++at;
  hash.add(text.substr(0, at));
  std::string_view message = text.substr(at);
  const std::size_t name = message.find(", name=");
  if (name != std::string_view::npos) {
    const std::size_t end = message.substr(0, name + 7 + kMaxName + 2).rfind(", ");
    message.remove_prefix(end > name ? end : message.size());
  }
  for (const std::string_view word : {std::string_view(" Fatal "), std::string_view("fatal error"), std::string_view("RST: Yes")}) {
    hash.add(message.find(word) == std::string_view::npos ? '0' : '1');
  }
  const std::size_t link = message.find("ink ");
  for (std::size_t i = 0; link != std::string_view::npos && i < 3 && has_digit(message, link + 4 + i); ++i) hash.add(message[link + 4 + i]);
  return true;
}

}  // namespace

LineShape line_shape(std::string_view text) {
  text = text.substr(0, kMaxText);
  Hash hash;
  if (text.starts_with("traps: ")) text.remove_prefix(7);
  if (const std::size_t end = behind_name(text); end > 0) {
    add_masked(hash, text.substr(end, 24), false, 24);
    return {LineShape::Speaker::user, hash.value()};
  }
  for (const std::string_view opening : kTasks) {
    if (!text.starts_with(opening)) continue;
    hash.add(opening);
    return {LineShape::Speaker::driver, hash.value()};
  }
  if (add_xid(hash, text)) return {LineShape::Speaker::xid, hash.value()};
  // Behind the device the file system names the task.
  if (text.starts_with("EXT4-fs error (")) text = text.substr(0, text.find(')'));
  const bool driver = names_device(text) || opens_as_driver(text);
  add_masked(hash, text, driver, driver ? kMaxShape : kOtherShape);
  return {driver ? LineShape::Speaker::driver : LineShape::Speaker::other, hash.value()};
}

}  // namespace faultline
