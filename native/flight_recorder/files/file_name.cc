// What a dump does not hold and its name does: rank and host; and the list of ranks that a dump holds as text.
#include <charconv>
#include <string>

#include "flight_recorder/files/file.h"
#include "flight_recorder/limits.h"

namespace faultline::flight_recorder {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_separator(char c) { return c == '_' || c == '-' || c == '.' || c == '='; }

std::optional<std::int64_t> number(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value >= MAX_RANKS) return std::nullopt;
  return value;
}

// Words that names are made of and that are no host.
bool is_common(std::string_view word) {
  for (const std::string_view known : {"nccl", "comm", "lib", "trace", "traces", "rank", "dump", "fr", "flight", "recorder",
                                       "torch", "gloo", "xccl", "hccl", "rccl", "global", "file", "pkl", "pickle", "json"}) {
    if (word == known) return true;
  }
  return false;
}

std::string host_in(std::string_view text) {
  while (!text.empty() && is_separator(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_separator(text.back())) text.remove_suffix(1);
  // Common words at both ends are the recorder's; what is left names the host.
  for (bool cut = true; cut && !text.empty();) {
    cut = false;
    const std::size_t first = text.find_first_of("_-.=");
    if (is_common(text.substr(0, first))) {
      text = first == std::string_view::npos ? std::string_view() : text.substr(first + 1);
      cut = true;
    }
    const std::size_t last = text.find_last_of("_-.=");
    if (!text.empty() && is_common(last == std::string_view::npos ? text : text.substr(last + 1))) {
      text = last == std::string_view::npos ? std::string_view() : text.substr(0, last);
      cut = true;
    }
  }
  return std::string(text);
}

// "of12", as in "rank3of12": how many there are.
bool of_number(std::string_view rest) {
  if (!rest.empty() && is_separator(rest[0])) rest.remove_prefix(1);
  if (!rest.starts_with("of")) return false;
  rest.remove_prefix(rest.size() > 2 && is_separator(rest[2]) ? 3 : 2);
  const std::size_t digits = rest.find_first_not_of("0123456789");
  return !rest.empty() && digits != 0 && (digits == std::string_view::npos || is_separator(rest[digits]));
}

// Digits right after "rank" and at most one separator.
bool after_word_rank(std::string_view name, std::size_t& from, std::size_t& to) {
  for (std::size_t at = name.rfind("rank"); at != std::string_view::npos; at = at == 0 ? at : name.rfind("rank", at - 1)) {
    from = at + 4;
    if (from < name.size() && is_separator(name[from])) ++from;
    to = from;
    while (to < name.size() && is_digit(name[to])) ++to;
    if (to > from && of_number(name.substr(to))) return true;
    // "rank_10.0.0.5_3": the digits belong to an address, the rank is at the end.
    if (to > from && (to == name.size() || is_separator(name[to])) && !(to + 1 < name.size() && name[to] == '.' && is_digit(name[to + 1]))) {
      return true;
    }
    if (at == 0) break;
  }
  return false;
}

NameParts parts_of(std::string_view name) {
  NameParts parts;
  // An ending such as .pkl; "rank_0.1" keeps its digits, "gpu0.example_5" its host.
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0) {
    bool letters = dot + 1 < name.size();
    for (std::size_t i = dot + 1; i < name.size(); ++i) letters = letters && name[i] >= 'a' && name[i] <= 'z';
    if (letters) name = name.substr(0, dot);
  }
  std::size_t from = 0;
  std::size_t to = 0;
  if (!after_word_rank(name, from, to)) {
    // The last digits that end a word: "1st" is not a number.
    to = from = name.size();
    while (to > 0) {
      while (to > 0 && !is_digit(name[to - 1])) --to;
      from = to;
      while (from > 0 && is_digit(name[from - 1])) --from;
      if (to == name.size() || is_separator(name[to])) break;
      to = from;
    }
  }
  if (from == to) return parts;
  parts.rank = number(name.substr(from, to - from));
  parts.host = host_in(name.substr(0, from));
  if (parts.host.empty()) parts.host = host_in(name.substr(to));
  return parts;
}

}  // namespace

NameParts name_parts(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const NameParts parts = parts_of(path.substr(slash == std::string_view::npos ? 0 : slash + 1));
    if (parts.rank) return parts;
    // "rank_3/dump": the folder names the rank, one level up and no further.
    if (slash == std::string_view::npos) return parts;
    const std::string_view folder = path.substr(0, slash);
    const std::size_t above = folder.rfind('/');
    const std::string_view name = folder.substr(above == std::string_view::npos ? 0 : above + 1);
    std::size_t from = 0, to = 0;
    const bool digits = name.find_first_not_of("0123456789") == std::string_view::npos;
    return digits || after_word_rank(name, from, to) ? parts_of(name) : parts;
  }
  return {};
}

std::optional<std::vector<std::int64_t>> ranks_of(std::string_view text) {
  std::vector<std::int64_t> ranks;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    while (!text.empty() && (text.front() == ' ' || text.front() == ',')) text.remove_prefix(1);
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    if (digits == 0) {
      if (text.empty()) break;
      return std::nullopt;
    }
    const auto rank = number(text.substr(0, digits));
    if (!rank || ranks.size() >= MAX_RANKS) return std::nullopt;
    ranks.push_back(*rank);
    text.remove_prefix(digits);
    if (!text.empty() && text.front() != ',' && text.front() != ' ') return std::nullopt;
  }
  return ranks;
}

}  // namespace faultline::flight_recorder
