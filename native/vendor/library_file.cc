// Reads the ELF header and the program headers, and believes no number in them.
#include "vendor/library_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace faultline {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kOurMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kOurMachine = EM_AARCH64;
#else
#error "which ELF machine is this?"
#endif

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "arm64";
    case EM_386:
      return "32-bit x86";
    case EM_PPC64:
      return "ppc64le";
    default:
      return "ELF machine " + std::to_string(machine);
  }
}

template <class Header>
bool read_at(int fd, Header& header, std::uint64_t offset) {
  return pread(fd, &header, sizeof header, static_cast<off_t>(offset)) == static_cast<ssize_t>(sizeof header);
}

std::string fault_of(int fd, const std::string& path, std::uint64_t size) {
  Elf64_Ehdr elf{};
  const bool complete = read_at(fd, elf, 0);
  if (size >= SELFMAG && std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0) return path + ": invalid ELF header";
  if (!complete) return path + " is truncated: " + std::to_string(size) + " bytes";
  if (elf.e_machine != kOurMachine || elf.e_ident[EI_CLASS] != ELFCLASS64) {
    return path + " is built for another architecture: " + machine_name(elf.e_machine) + ", this host is " +
           machine_name(kOurMachine);
  }
  std::uint64_t end = 0;
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    Elf64_Phdr part{};
    const std::uint64_t at = elf.e_phoff + std::uint64_t{i} * sizeof part;
    if (at > size || !read_at(fd, part, at)) return path + " is truncated: " + std::to_string(size) + " bytes";
    if (part.p_type == PT_LOAD && part.p_offset + part.p_filesz >= part.p_offset) {
      end = std::max(end, part.p_offset + part.p_filesz);
    }
  }
  if (end <= size) return {};
  return path + " is truncated: " + std::to_string(size) + " of at least " + std::to_string(end) + " bytes";
}

}  // namespace

std::string library_fault(const std::string& path) {
  // Not a FIFO in its place: opening it would wait for ever.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};  // the loader says why
  struct stat status {};
  std::string fault;
  if (fstat(fd, &status) == 0) {
    fault = S_ISREG(status.st_mode) ? fault_of(fd, path, static_cast<std::uint64_t>(status.st_size)) : path + " is not a file";
  }
  close(fd);
  return fault;
}

}  // namespace faultline
