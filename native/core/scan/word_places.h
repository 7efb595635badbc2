// Which four bytes of each word a filter looks for, and which words share a group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace faultline {

struct ScanWord {
  std::string text;        // WordScanner::kLeastWord bytes at least
  bool any_case = false;   // of ASCII letters
};

struct WordPlace {
  std::uint32_t word;    // its place in the list
  std::uint32_t offset;  // of its four bytes
  unsigned group;
};

// A place for each word of four bytes or more, such that a group takes few places of ordinary text. The same for the same list.
std::vector<WordPlace> choose_places(const std::vector<ScanWord>& words);

}  // namespace faultline
