// Lists that were read before, found again by their bytes. Opcodes as in pickle.cc.
#include "flight_recorder/parse/list_cache.h"

namespace faultline::flight_recorder {

void ListCache::keep(std::size_t from, std::size_t to, std::uint32_t list) {
  const std::size_t first = first_of(missed_hash_);
  const std::size_t place = missed_hash_ == 0 ? SLOTS : kept_[first].era != era_ ? first : first + misses_ % WAYS;
  kept_[place] = {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to - from), list, missed_hash_, era_, kept_[place].next};
  if (place == SLOTS) last_ = place;
  else follow(place);
}

std::size_t ListCache::end_of(std::span<const unsigned char> bytes, std::size_t at) {
  constexpr std::size_t LONGEST = 10;  // of an opcode with what belongs to it
  const unsigned char* here = bytes.data() + at;
  const unsigned char* const end = bytes.data() + bytes.size();
  if (static_cast<std::size_t>(end - here) < LONGEST || here[0] != ']' || here[1] != '(') return 0;
  here += 2;
  for (bool inside = false; static_cast<std::size_t>(end - here) >= LONGEST;) {
    switch (*here) {
      case 'j':
      case 'J': here += 5; break;
      case 'h':
      case 'K': here += 2; break;
      case 'M': here += 3; break;
      case 0x8a:
        if (here[1] != 8) return 0;
        here += 10;
        break;
      case 'N':
      case 0x88:
      case 0x89: ++here; break;
      case ']':
        if (inside || here[1] != '(') return 0;
        inside = true;
        here += 2;
        break;
      case 'e':
        ++here;
        if (!inside) return static_cast<std::size_t>(here - bytes.data());
        inside = false;
        break;
      default: return 0;
    }
  }
  return 0;
}

std::uint32_t ListCache::hash_of(const unsigned char* bytes, std::size_t length) {
  std::uint64_t hash = length * 0x9e3779b97f4a7c15ULL;
  const auto add = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32;  // the multiplication carries upwards alone
  };
  std::uint64_t word = 0;
  for (; length >= 8; bytes += 8, length -= 8) std::memcpy(&word, bytes, 8), add(word);
  word = 0;
  std::memcpy(&word, bytes, length);
  add(word);
  const auto folded = static_cast<std::uint32_t>(hash * 0x9e3779b97f4a7c15ULL >> 32);
  return folded == 0 ? 1 : folded;
}

}  // namespace faultline::flight_recorder
