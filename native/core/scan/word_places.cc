// Which four bytes of each word a filter looks for, and which words share a group: by what a group then takes of a text that has
// what every log has. Words one by one, those without a rare part first; each goes where the fewest places are taken in addition.
#include "core/scan/word_places.h"

#include <algorithm>
#include <array>
#include <bit>
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

// The bytes that a window has at one place: of a word of any case up to two.
struct ByteHalves {
  std::uint16_t low_halves = 0;
  std::uint16_t high_halves = 0;

  void add(char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    low_halves |= static_cast<std::uint16_t>(1u << (byte & 15));
    high_halves |= static_cast<std::uint16_t>(1u << (byte >> 4));
  }
};
using WindowBytes = std::array<ByteHalves, kFour>;

WindowBytes bytes_of(std::string_view window, bool any_case) {
  WindowBytes all;
  for (std::size_t i = 0; i < kFour; ++i) {
    all[i].add(window[i]);
    if (any_case && WordFilter::has_two_cases(window[i])) all[i].add(static_cast<char>(window[i] ^ 0x20));
  }
  return all;
}

// What a group takes: of the usual text, and, since that has not all that logs have, of a text with the same bytes in any order.
class Group {
 public:
  Group() { share_.fill(kLeastShare); }

  // Nothing is taken in addition: all its halves are here.
  bool covers(const WindowBytes& window) const {
    for (std::size_t i = 0; i < kFour; ++i) {
      if (!has(i, window[i])) return false;
    }
    return true;
  }

  // So much more with this window. What is not below `most` need not be exact.
  double more_with(const Usual& usual, const WindowBytes& window, double most) const {
    const double by_chance = by_chance_with(usual, window);
    // What is taken of the text itself never becomes less.
    if (by_chance - by_chance_ >= most) return most;
    return together_with(usual, window) - together_ + by_chance - by_chance_;
  }

  void add(const Usual& usual, const WindowBytes& window) {
    together_ = together_with(usual, window);
    by_chance_ = by_chance_with(usual, window);
    for (std::size_t i = 0; i < kFour; ++i) {
      unite_halves(low_[i], usual.low[i], window[i].low_halves & ~halves_[i].low_halves);
      unite_halves(high_[i], usual.high[i], window[i].high_halves & ~halves_[i].high_halves);
      for (std::size_t word = 0; word < kWords; ++word) both_[i][word] = low_[i][word] & high_[i][word];
      halves_[i] = united(i, window[i]);
      share_[i] = share_of(usual, halves_[i]);
    }
  }

 private:
  static constexpr double kLeastShare = 1e-4;

  double by_chance_with(const Usual& usual, const WindowBytes& window) const {
    double by_chance = static_cast<double>(kUsualText.size());
    for (std::size_t i = 0; i < kFour; ++i) by_chance *= has(i, window[i]) ? share_[i] : share_of(usual, united(i, window[i]));
    return by_chance;
  }

  double together_with(const Usual& usual, const WindowBytes& window) const {
    std::array<Places, kFour> wider;
    std::array<const Places*, kFour> all;
    for (std::size_t i = 0; i < kFour; ++i) {
      all[i] = &both_[i];
      if (has(i, window[i])) continue;
      Places low = low_[i];
      Places high = high_[i];
      unite_halves(low, usual.low[i], window[i].low_halves & ~halves_[i].low_halves);
      unite_halves(high, usual.high[i], window[i].high_halves & ~halves_[i].high_halves);
      for (std::size_t word = 0; word < kWords; ++word) wider[i][word] = low[word] & high[word];
      all[i] = &wider[i];
    }
    static_assert(kFour == 4);
    int together = 0;
    for (std::size_t word = 0; word < kWords; ++word) {
      const std::uint64_t taken = (*all[0])[word] & (*all[1])[word] & (*all[2])[word] & (*all[3])[word];
      if (taken != 0) together += std::popcount(taken);
    }
    return together;
  }

  bool has(std::size_t i, const ByteHalves& bytes) const {
    return (bytes.low_halves & ~halves_[i].low_halves) == 0 && (bytes.high_halves & ~halves_[i].high_halves) == 0;
  }

  ByteHalves united(std::size_t i, const ByteHalves& bytes) const {
    return {static_cast<std::uint16_t>(halves_[i].low_halves | bytes.low_halves), static_cast<std::uint16_t>(halves_[i].high_halves | bytes.high_halves)};
  }

  static void unite_halves(Places& into, const std::array<Places, 16>& of, unsigned halves) {
    for (; halves != 0; halves &= halves - 1) unite(into, of[static_cast<std::size_t>(std::countr_zero(halves))]);
  }

  static double share_of(const Usual& usual, const ByteHalves& halves) {
    double share = kLeastShare;
    for (unsigned upper = halves.high_halves; upper != 0; upper &= upper - 1) {
      for (unsigned lower = halves.low_halves; lower != 0; lower &= lower - 1)
        share += usual.share[static_cast<std::size_t>(std::countr_zero(upper) << 4 | std::countr_zero(lower))];
    }
    return share;
  }

  std::array<Places, kFour> low_{};
  std::array<Places, kFour> high_{};
  std::array<Places, kFour> both_{};
  std::array<ByteHalves, kFour> halves_{};
  std::array<double, kFour> share_{};
  double together_ = 0;
  double by_chance_ = 0;
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
    WindowBytes best{};
    WordPlace place{each.word, 0, 0};
    for (const Window& window : each.windows) {
      const WindowBytes bytes = bytes_of(std::string_view(word.text).substr(window.offset, kFour), word.any_case);
      for (unsigned group = 0; group < kLongGroups && kPass * window.passes < least; ++group) {
        const double passes = kPass * window.passes;
        const double more = passes + (groups[group].covers(bytes) ? 0 : groups[group].more_with(usual, bytes, least - passes));
        if (more >= least) continue;
        least = more;
        best = bytes;
        place.offset = window.offset;
        place.group = group;
      }
    }
    if (!groups[place.group].covers(best)) groups[place.group].add(usual, best);
    places.push_back(place);
  }
  return places;
}

}  // namespace faultline
