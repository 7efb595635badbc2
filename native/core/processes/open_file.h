// The files that a process has open, as far as anything asks for them: what it writes, its pipes, and devices of a list.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/processes/environ_protocol.h"

namespace faultline {

struct OpenFile {
  std::string text;  // path, or "pipe:[<inode>]"
  std::uint64_t inode = 0;
  std::uint16_t is = 0;  // FileIs
  bool operator==(const OpenFile&) const = default;
};

// What a descriptor is, by its number and the text of its link; `writes`: it is open for writing. 0: nothing that anything asks for.
std::uint16_t kind_of_file(std::string_view number, std::string_view target, bool writes);

// Of /proc/<pid>/fdinfo/<n>: what follows a label; 0 where it does not say.
std::uint64_t number_behind(std::string_view info, std::string_view label, int base);

namespace environ_reader {

// Writes one file behind `at` of `most` bytes; returns how many it takes, 0 where there is no place.
std::size_t write_file(char* into, std::size_t most, const FileHead& head, std::string_view text);

// Nothing where the bytes are not such files.
std::optional<std::vector<OpenFile>> read_files(std::string_view bytes);

}  // namespace environ_reader
}  // namespace faultline
