// What start-up took and running does not need, given back to the kernel.
#include "core/footprint.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "core/files/mapped_text.h"

namespace faultline {
namespace {

struct Mapping {
  AddressRange range;
  bool only_read = false;  // as far as its first line tells
};

bool take_hex(std::string_view& text, char after, std::uintptr_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  const auto used = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || used >= text.size() || *end != after) return false;
  text.remove_prefix(used + 1);
  return true;
}

// "7f00-7f10 r-xp 00001000 fe:00 1234   /usr/bin/node": an inode of 0 is not a file.
std::optional<Mapping> mapping_of(std::string_view line) {
  Mapping mapping;
  if (!take_hex(line, '-', mapping.range.begin) || !take_hex(line, ' ', mapping.range.end)) return std::nullopt;
  if (line.size() < 5 || line[4] != ' ') return std::nullopt;
  const bool private_and_fixed = line[0] == 'r' && line[1] == '-' && line[3] == 'p';
  line.remove_prefix(5);
  for (int column = 0; column < 2; ++column) line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  mapping.only_read = private_and_fixed && !line.empty() && line[0] >= '1' && line[0] <= '9';
  return mapping;
}

// "Anonymous:             0 kB"
bool says_no_own_pages(std::string_view line) {
  constexpr std::string_view kField = "Anonymous:";
  if (!line.starts_with(kField)) return false;
  line.remove_prefix(kField.size());
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line == "0 kB";
}

std::string own_smaps() {
  const std::ifstream file("/proc/self/smaps");
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

struct Work {
  const std::uintptr_t page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  std::vector<AddressRange> only_read;
  std::size_t bytes = 0;
};

void let_go(Work& work, AddressRange segment) {
  for (const AddressRange& mapping : work.only_read) {
    const AddressRange both{std::max(segment.begin, mapping.begin), std::min(segment.end, mapping.end)};
    if (both.begin >= both.end) continue;
    if (::madvise(reinterpret_cast<void*>(both.begin), both.end - both.begin, MADV_DONTNEED) == 0) {
      work.bytes += both.end - both.begin;
    }
  }
}

// Called under the loader's lock: no library is unmapped meanwhile, so that what was found is still what is there.
int of_object(dl_phdr_info* object, std::size_t, void* argument) {
  auto& work = *static_cast<Work*>(argument);
  if (work.only_read.empty()) work.only_read = only_read_mappings(own_smaps());
  if (work.only_read.empty()) return 1;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    const std::uintptr_t inside = work.page - 1;
    let_go(work, {begin & ~inside, (begin + header.p_memsz + inside) & ~inside});
  }
  return 0;
}

}  // namespace

std::vector<AddressRange> only_read_mappings(std::string_view smaps) {
  std::vector<AddressRange> found;
  std::optional<Mapping> current;
  while (!smaps.empty()) {
    const std::size_t end = std::min(smaps.find('\n'), smaps.size());
    const std::string_view line = smaps.substr(0, end);
    smaps.remove_prefix(std::min(end + 1, smaps.size()));
    if (const auto next = mapping_of(line)) {
      current = next;
    } else if (current && current->only_read && says_no_own_pages(line)) {
      found.push_back(current->range);
      current.reset();
    }
  }
  return found;
}

void keep_malloc_small() {
#ifdef __GLIBC__
  // What Node reads into and cuts small buffers from: each would leave a hole.
  constexpr int kLarge = 64 * 1024;
  ::mallopt(M_ARENA_MAX, 1);
  // Set by hand they stay: glibc would take the first large buffer that is freed as its measure, and keep the next ones.
  ::mallopt(M_MMAP_THRESHOLD, kLarge);
  ::mallopt(M_TRIM_THRESHOLD, 4 * kLarge);
#endif
}

void give_back_heap() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

std::size_t give_back_memory() {
  give_back_heap();
  Work work;
  ::dl_iterate_phdr(of_object, &work);
  return work.bytes + give_back_texts();
}

}  // namespace faultline
