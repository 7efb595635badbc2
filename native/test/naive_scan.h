// What the word scanner must find, by a search for each word in each line; and what it finds, a few lines a call.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/scan/coloured.h"
#include "core/scan/word_scanner.h"

namespace faultline {

// Offset, length, newlines before.
using PlainLine = std::tuple<std::size_t, std::size_t, std::size_t>;

inline bool holds(std::string_view text, const ScanWord& word) {
  const auto same = [&word](char a, char b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return word.any_case ? lower(a) == lower(b) : a == b;
  };
  return std::search(text.begin(), text.end(), word.text.begin(), word.text.end(), same) != text.end();
}

inline std::vector<PlainLine> lines_by_search(const std::vector<ScanWord>& words, bool colours, std::string_view text) {
  std::vector<PlainLine> found;
  std::size_t newlines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    std::string plain;
    strip_colours(line, plain);
    const auto has = [&](const ScanWord& word) { return holds(line, word) || (colours && holds(plain, word)); };
    if (std::any_of(words.begin(), words.end(), has)) found.emplace_back(at, line.size(), newlines);
    ++newlines;
    at = end + 1;
  }
  return found;
}

inline std::vector<PlainLine> lines_by_scanner(const WordScanner& scanner, std::string_view text, std::size_t most) {
  std::vector<PlainLine> all;
  std::size_t newlines_before = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::vector<FoundLine> found;
    std::size_t newlines = 0;
    const std::size_t read = scanner.scan(text.substr(at), most, found, newlines);
    for (const FoundLine& line : found) all.emplace_back(at + line.offset, line.length, newlines_before + line.newlines);
    newlines_before += newlines;
    at += read;
    if (read == 0) break;
  }
  return all;
}

}  // namespace faultline
