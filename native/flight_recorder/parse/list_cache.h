// Lists that were read before, found again by their bytes: the same bytes mean the same list for as long as the memo does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace faultline::flight_recorder {

// Of a list of scalars and of lists of these, as recorders write them. Keeps the newest where two want one place, so that it
// stays of one size whatever a file holds.
class ListCache {
 public:
  // The number of the list that begins at `at`, which is then after it.
  std::optional<std::uint32_t> find(std::span<const unsigned char> bytes, std::size_t& at);
  // What `find` did not find; the list is from where it looked to `to`.
  void keep(std::size_t from, std::size_t to, std::uint32_t list);
  // The bytes mean something else from now on.
  void forget() { ++era_, found_at_ = SIZE_MAX; }

 private:
  static constexpr std::size_t SLOTS = 512, WAYS = 2;
  static constexpr std::uint32_t MANY_MISSES = 256;
  static constexpr std::uint32_t LOOK_AGAIN = 16;
  struct Kept {
    std::uint32_t at = 0, length = 0;
    std::uint32_t list = 0;
    std::uint32_t hash = 0;
    std::uint32_t era = 0;   // 0: never
    std::uint32_t next = 0;  // the place of the list that followed last time
  };

  // Where the list that begins at `at` ends; 0 for anything else than such a list.
  static std::size_t end_of(std::span<const unsigned char> bytes, std::size_t at);
  static std::size_t first_of(std::uint32_t hash) { return hash % (SLOTS / WAYS) * WAYS; }
  static std::uint32_t hash_of(const unsigned char* bytes, std::size_t length);
  static bool equal(const unsigned char* a, const unsigned char* b, std::size_t length);
  bool holds(const Kept& kept, std::span<const unsigned char> bytes, std::size_t at) const {
    return kept.era == era_ && kept.length <= bytes.size() - at && equal(bytes.data() + kept.at, bytes.data() + at, kept.length);
  }
  std::uint32_t found(std::size_t& at, std::size_t end, std::uint32_t list) {
    found_at_ = at;
    found_end_ = at = end;
    return found_ = list;
  }
  void hit() { misses_ -= misses_ > 0 ? 1 : 0; }
  void follow(std::size_t place) {
    if (place == last_) return;
    kept_[last_].next = static_cast<std::uint32_t>(place);
    last_ = place;
  }

  std::array<Kept, SLOTS + 1> kept_{};  // the last: what was kept without a look where it belongs
  std::size_t last_ = 0;
  std::uint32_t misses_ = 0;  // since a list was found by its hash; less one for each that followed as before
  std::uint32_t passed_ = 0;
  std::uint32_t era_ = 1;
  std::uint32_t missed_hash_ = 0;  // of what `find` looked for last
  // What was found last, which is often asked for once more: an entry is held against several patterns.
  std::size_t found_at_ = SIZE_MAX, found_end_ = 0;
  std::uint32_t found_ = 0;
};

[[gnu::always_inline]] inline bool ListCache::equal(const unsigned char* a, const unsigned char* b, std::size_t length) {
  const auto word = [](const unsigned char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, 8);
    return value;
  };
  if (length < 8) return std::memcmp(a, b, length) == 0;
  const std::uint64_t last = word(a + length - 8) ^ word(b + length - 8);
  if (last != 0) return false;
  std::uint64_t differ = 0;
  for (; length > 8; a += 8, b += 8, length -= 8) differ |= word(a) ^ word(b);
  return differ == 0;
}

[[gnu::always_inline]] inline std::optional<std::uint32_t> ListCache::find(std::span<const unsigned char> bytes, std::size_t& at) {
  if (at == found_at_) return at = found_end_, found_;
  // An operation gives back what it takes, and steps of a training loop come round.
  for (const std::size_t place : {last_, std::size_t{kept_[last_].next}}) {
    if (!holds(kept_[place], bytes, at)) continue;
    if (place != last_) hit();
    last_ = place;
    return found(at, at + kept_[place].length, kept_[place].list);
  }
  // Where lists are ever new, it costs more to look than to read them.
  missed_hash_ = 0;
  if (misses_ > MANY_MISSES && ++passed_ % LOOK_AGAIN != 0) return std::nullopt;
  misses_ += misses_ > MANY_MISSES ? 0 : 1;
  const std::size_t end = end_of(bytes, at);
  if (end == 0) return std::nullopt;
  const std::uint32_t hash = hash_of(bytes.data() + at, end - at);
  missed_hash_ = hash;
  for (std::size_t place = first_of(hash), way = 0; way < WAYS; ++way, ++place) {
    const Kept& kept = kept_[place];
    if (kept.hash != hash || kept.length != end - at || !holds(kept, bytes, at)) continue;
    misses_ = 0;
    follow(place);
    return found(at, end, kept.list);
  }
  return std::nullopt;
}

}  // namespace faultline::flight_recorder
