// Which four bytes of each word a filter looks for, and which words share a group: by what a group then takes of a text that has
// what every log has. Words one by one, those without a rare part first; each goes where the fewest places are taken in addition.
#include "core/scan/word_places.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>

#include "core/scan/usual_text.h"
#include "core/scan/word_filter.h"

namespace faultline {
namespace {

constexpr std::size_t kFour = WordFilter::kWindow;
constexpr unsigned kLongGroups = WordFilter::kShortGroup;
constexpr std::size_t kWords = (kUsualText.size() + 63) / 64;
// Of each word the windows that are tried: the rarest, by their bytes alone.
constexpr std::size_t kTried = 6;
// What a place costs that the second sieve lets pass, against one that only the first does.
constexpr double kPass = 20;

// A bit for each place of the usual text.
using Places = std::array<std::uint64_t, kWords>;

void unite(Places& into, const Places& other) {
  for (std::size_t i = 0; i < kWords; ++i) into[i] |= other[i];
}

// Of the usual text: how often each byte is in it, and the places where the byte `at` behind has that lower or upper half.
struct Usual {
  std::array<double, 256> share{};
  std::array<std::array<Places, 16>, kFour> low{};
  std::array<std::array<Places, 16>, kFour> high{};
  std::vector<std::uint32_t> fours;  // each four bytes, as they are hashed, in order

  Usual() {
    for (const char c : kUsualText) share[static_cast<std::uint8_t>(c)] += 1.0 / kUsualText.size();
    for (std::size_t at = 0; at < kFour; ++at) {
      for (std::size_t place = 0; place < kUsualText.size(); ++place) {
        const auto byte = static_cast<std::uint8_t>(kUsualText[(place + at) % kUsualText.size()]);
        low[at][byte & 15][place / 64] |= std::uint64_t{1} << (place % 64);
        high[at][byte >> 4][place / 64] |= std::uint64_t{1} << (place % 64);
      }
    }
    for (std::size_t place = 0; place + kFour <= kUsualText.size(); ++place) fours.push_back(WordFilter::folded_at(kUsualText, place));
    std::sort(fours.begin(), fours.end());
  }

  double passes(std::uint32_t folded) const {
    const auto [from, to] = std::equal_range(fours.begin(), fours.end(), folded);
    return static_cast<double>(to - from);
  }
};

// What a group takes: of the usual text, and, since that has not all that logs have, of a text with the same bytes in any order.
struct Group {
  std::array<Places, kFour> low{};
  std::array<Places, kFour> high{};
  std::array<std::uint16_t, kFour> low_halves{};
  std::array<std::uint16_t, kFour> high_halves{};
  double taken = 0;

  void add(const Usual& usual, std::string_view window, bool any_case) {
    for (std::size_t i = 0; i < kFour; ++i) {
      add_byte(usual, i, static_cast<std::uint8_t>(window[i]));
      if (any_case && WordFilter::has_two_cases(window[i])) add_byte(usual, i, static_cast<std::uint8_t>(window[i] ^ 0x20));
    }
    int together = 0;
    for (std::size_t word = 0; word < kWords; ++word) {
      std::uint64_t all = ~std::uint64_t{0};
      for (std::size_t i = 0; i < kFour; ++i) all &= low[i][word] & high[i][word];
      if (all != 0) together += std::popcount(all);
    }
    double by_chance = static_cast<double>(kUsualText.size());
    for (std::size_t i = 0; i < kFour; ++i) by_chance *= share_of(usual, i);
    taken = together + by_chance;
  }

  // Nothing is taken in addition: all its halves are here.
  bool covers(std::string_view window, bool any_case) const {
    for (std::size_t i = 0; i < kFour; ++i) {
      if (!has_byte(i, static_cast<std::uint8_t>(window[i]))) return false;
      if (any_case && WordFilter::has_two_cases(window[i]) && !has_byte(i, static_cast<std::uint8_t>(window[i] ^ 0x20))) return false;
    }
    return true;
  }

  bool has_byte(std::size_t i, std::uint8_t byte) const { return ((low_halves[i] >> (byte & 15)) & (high_halves[i] >> (byte >> 4)) & 1) != 0; }

  void add_byte(const Usual& usual, std::size_t i, std::uint8_t byte) {
    const auto low_half = static_cast<std::uint16_t>(1u << (byte & 15));
    const auto high_half = static_cast<std::uint16_t>(1u << (byte >> 4));
    if ((low_halves[i] & low_half) == 0) unite(low[i], usual.low[i][byte & 15]);
    if ((high_halves[i] & high_half) == 0) unite(high[i], usual.high[i][byte >> 4]);
    low_halves[i] |= low_half;
    high_halves[i] |= high_half;
  }

  double share_of(const Usual& usual, std::size_t i) const {
    double share = 1e-4;
    for (unsigned upper = high_halves[i]; upper != 0; upper &= upper - 1) {
      for (unsigned lower = low_halves[i]; lower != 0; lower &= lower - 1)
        share += usual.share[static_cast<std::size_t>(std::countr_zero(upper) << 4 | std::countr_zero(lower))];
    }
    return share;
  }
};

struct Window {
  double share;
  double passes;  // so often it is in the usual text, whatever the case
  std::uint32_t offset;
};

std::vector<Window> rarest_windows(const Usual& usual, const ScanWord& word) {
  std::vector<Window> all;
  for (std::uint32_t at = 0; at + kFour <= word.text.size(); ++at) {
    const std::string_view window = std::string_view(word.text).substr(at, kFour);
    double share = 1;
    for (const char c : window) {
      share *= 1e-4 + usual.share[static_cast<std::uint8_t>(c)] +
               (word.any_case && WordFilter::has_two_cases(c) ? usual.share[static_cast<std::uint8_t>(c ^ 0x20)] : 0);
    }
    const double passes = usual.passes(WordFilter::folded_at(window, 0));
    all.push_back({share + passes, passes, at});
  }
  std::stable_sort(all.begin(), all.end(), [](const Window& a, const Window& b) { return a.share < b.share; });
  if (all.size() > kTried) all.resize(kTried);
  return all;
}

}  // namespace

std::vector<WordPlace> choose_places(const std::vector<ScanWord>& words) {
  static const Usual usual;
  struct Open {
    std::uint32_t word;
    std::vector<Window> windows;
  };
  std::vector<Open> open;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    if (words[i].text.size() >= kFour) open.push_back({i, rarest_windows(usual, words[i])});
  }
  std::stable_sort(open.begin(), open.end(), [](const Open& a, const Open& b) { return a.windows[0].share > b.windows[0].share; });
  std::array<Group, kLongGroups> groups;
  std::vector<WordPlace> places;
  for (const Open& each : open) {
    const ScanWord& word = words[each.word];
    double least = 1e300;
    std::optional<Group> best;  // nothing where the word adds nothing to it
    WordPlace place{each.word, 0, 0};
    for (const Window& window : each.windows) {
      const std::string_view bytes = std::string_view(word.text).substr(window.offset, kFour);
      for (unsigned group = 0; group < kLongGroups && kPass * window.passes < least; ++group) {
        double more = kPass * window.passes;
        std::optional<Group> with;
        if (!groups[group].covers(bytes, word.any_case)) {
          with = groups[group];
          with->add(usual, bytes, word.any_case);
          more += with->taken - groups[group].taken;
        }
        if (more >= least) continue;
        least = more;
        best = with;
        place.offset = window.offset;
        place.group = group;
      }
    }
    if (best) groups[place.group] = *best;
    places.push_back(place);
  }
  return places;
}

}  // namespace faultline
