// What of a process's environment and mapped files may be handed over, and the packet that holds it. No memory is asked for
// while hostile bytes are read.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/processes/allowed.h"
#include "core/files/descriptor.h"
#include "core/processes/environ_protocol.h"
#include "core/processes/open_file.h"

namespace faultline::environ_reader {

// Takes an environment in pieces and keeps the values of the allow-list: of a name that comes twice the last one, and none
// that is too long or has characters that such a value does not have.
class AllowedValues {
 public:
  void feed(std::string_view piece);
  // The last entry need not have an end.
  void finish();
  // Nothing of the process stays in memory.
  void forget();
  // Writes what fits of `most` bytes, ranks first; returns how many.
  std::size_t write(char* into, std::size_t most) const;

 private:
  void end_entry();

  std::array<char, allowed::kLongestName + 1 + kMostValue> entry_{};
  std::size_t size_ = 0;
  bool too_long_ = false;
  struct Value {
    std::array<char, kMostValue> bytes;
    std::uint16_t size;
    bool there;
  };
  std::array<Value, std::size(allowed::kNames)> values_{};
};

// Takes the text of maps in pieces, and says which parts of paths of the list it has.
class AllowedLibraries {
 public:
  void feed(std::string_view piece);
  std::uint64_t found() const { return found_; }

 private:
  std::array<char, 2 * allowed::kLongestLibrary> seam_{};  // the end of the last piece and the start of this one
  std::size_t size_ = 0;
  std::uint64_t found_ = 0;
};

struct Answer {
  AnswerHead head;
  std::vector<std::optional<std::string>> values;  // by place in allowed::kNames
  std::vector<OpenFile> files;
  Descriptor log;
};

// Nothing where the bytes are not such an answer.
std::optional<Answer> read_answer(std::string_view packet);

}  // namespace faultline::environ_reader
