// Scanning of procfs text by position: no pattern, no list of lines, and bounds that hostile text cannot pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace faultline {

constexpr int kMostLines = 4096;

// Calls `visit` with each line that is not empty, at most 4096.
template <typename Visit>
void each_line(std::string_view text, Visit visit) {
  std::size_t from = 0;
  for (int count = 0; from < text.size() && count < kMostLines; ++count) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    if (to > from) visit(text.substr(from, to - from));
    from = to + 1;
  }
}

// Takes the next word, between spaces and tabs, off the line; empty where there is none.
std::string_view take_word(std::string_view& line);
// The unsigned decimals that the line begins with, at most 64, up to the first word that is none or does not fit 64 bits.
std::vector<double> numbers_of(std::string_view line);
// What follows `label` in the first line that begins with it, to the end of that line; empty where no line does.
std::string_view after_label(std::string_view text, std::string_view label);
// The number behind `label` where a line begins with it ("btime ", "MemTotal:"); NaN where none does.
double labelled(std::string_view text, std::string_view label);

}  // namespace faultline
