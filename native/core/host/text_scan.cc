// Scanning of procfs text by position.
#include "core/host/text_scan.h"

#include <limits>
#include <optional>

namespace faultline {
namespace {

constexpr std::size_t kMostFields = 64;
constexpr std::size_t kMostScannedDigits = 20;  // 2^64 has 20
constexpr std::string_view kBlank = " \t";

std::optional<double> number_of(std::string_view word) {
  if (word.empty() || word.size() > kMostScannedDigits) return std::nullopt;
  double value = 0;
  for (const char digit : word) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  return value;
}

}  // namespace

std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlank));
  line.remove_prefix(word.size());
  return word;
}

std::vector<double> numbers_of(std::string_view line) {
  std::vector<double> numbers;
  while (numbers.size() < kMostFields) {
    const auto number = number_of(take_word(line));
    if (!number) break;
    numbers.push_back(*number);
  }
  return numbers;
}

std::string_view after_label(std::string_view text, std::string_view label) {
  std::size_t at = text.starts_with(label) ? 0 : std::string_view::npos;
  for (std::size_t from = 0; at == std::string_view::npos; ++from) {
    from = text.find('\n', from);
    if (from == std::string_view::npos) return {};
    if (text.substr(from + 1).starts_with(label)) at = from + 1;
  }
  const std::string_view line = text.substr(at + label.size());
  return line.substr(0, line.find('\n'));
}

double labelled(std::string_view text, std::string_view label) {
  std::string_view line = after_label(text, label);
  return number_of(take_word(line)).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace faultline
