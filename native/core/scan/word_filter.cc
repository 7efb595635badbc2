// Where one of many words may be: two sieves that most places of a log fall through, up to sixty-four places at a time.
#include "core/scan/word_filter.h"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace faultline {
namespace {

using Tables = WordFilter::Tables;
using Found = WordFilter::Found;

constexpr std::size_t kWindow = WordFilter::kWindow;
constexpr std::uint32_t kFold = 0x20202020;
constexpr std::size_t kBehind = kWindow - 1;  // bytes that are read behind a block

inline bool has_bit(const std::uint64_t* bits, std::uint32_t folded) {
  const std::uint32_t bit = WordFilter::hash_of(folded) >> (32 - WordFilter::kBits);
  return ((bits[bit / 64] >> (bit % 64)) & 1) != 0;
}

// Of the places that a group takes, the first that has its bit, or is one of a short word: places from the lowest bit up; -1: none.
template <typename Places>
inline int first_of(const std::uint64_t* bits, const char* block, Places places, Places of_short) {
  for (; places != 0; places &= places - 1) {
    const int place = std::countr_zero(places);
    if (((of_short >> place) & 1) != 0) return place;
    std::uint32_t four;
    std::memcpy(&four, block + place, sizeof four);
    if (has_bit(bits, four | kFold)) return place;
  }
  return -1;
}

Found one_by_one(const Tables& tables, const char* data, std::size_t at, std::size_t size) {
  for (; at + kWindow <= size; ++at) {
    std::uint8_t groups = 0xff;
    for (std::size_t i = 0; i < kWindow; ++i) {
      const auto byte = static_cast<std::uint8_t>(data[at + i]);
      groups &= tables.low[i][byte & 15] & tables.high[i][byte >> 4];
    }
    if (groups != 0 && first_of<std::uint32_t>(tables.bits.data(), data + at, 1, groups >> WordFilter::kShortGroup) == 0) return {at, false};
  }
  return {at, true};
}

#if defined(__x86_64__)
[[gnu::target("ssse3")]] Found by_sixteen(const Tables& tables, const char* data, std::size_t at, std::size_t size) {
  __m128i low[kWindow], high[kWindow];
  for (std::size_t i = 0; i < kWindow; ++i) {
    low[i] = _mm_load_si128(reinterpret_cast<const __m128i*>(tables.low[i].data()));
    high[i] = _mm_load_si128(reinterpret_cast<const __m128i*>(tables.high[i].data()));
  }
  const __m128i half = _mm_set1_epi8(15);
  for (; at + 16 + kBehind <= size; at += 16) {
    __m128i groups = _mm_set1_epi8(-1);
    for (std::size_t i = 0; i < kWindow; ++i) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + at + i));
      const __m128i upper = _mm_and_si128(_mm_srli_epi16(bytes, 4), half);
      groups = _mm_and_si128(groups, _mm_and_si128(_mm_shuffle_epi8(low[i], _mm_and_si128(bytes, half)), _mm_shuffle_epi8(high[i], upper)));
    }
    const auto none = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(groups, _mm_setzero_si128())));
    if (none == 0xffff) continue;
    const auto of_short = static_cast<std::uint32_t>(_mm_movemask_epi8(groups));
    if (const int place = first_of<std::uint32_t>(tables.bits.data(), data + at, none ^ 0xffff, of_short); place >= 0)
      return {at + static_cast<std::size_t>(place), false};
  }
  return {at, true};
}

[[gnu::target("avx2,bmi,bmi2")]] Found by_thirty_two(const Tables& tables, const char* data, std::size_t at, std::size_t size) {
  __m256i low[kWindow], high[kWindow];
  for (std::size_t i = 0; i < kWindow; ++i) {
    low[i] = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(tables.low[i].data())));
    high[i] = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(tables.high[i].data())));
  }
  const __m256i half = _mm256_set1_epi8(15);
  for (; at + 32 + kBehind <= size; at += 32) {
    __m256i groups = _mm256_set1_epi8(-1);
    for (std::size_t i = 0; i < kWindow; ++i) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + at + i));
      const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
      groups = _mm256_and_si256(
          groups, _mm256_and_si256(_mm256_shuffle_epi8(low[i], _mm256_and_si256(bytes, half)), _mm256_shuffle_epi8(high[i], upper)));
    }
    const auto none = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(groups, _mm256_setzero_si256())));
    if (none == 0xffffffff) continue;
    const auto of_short = static_cast<std::uint32_t>(_mm256_movemask_epi8(groups));
    if (const int place = first_of(tables.bits.data(), data + at, ~none, of_short); place >= 0)
      return {at + static_cast<std::size_t>(place), false};
  }
  return {at, true};
}

// By whole bytes: a block that has others than ASCII in it is looked at by their halves.
[[gnu::target("avx512f,avx512bw,avx512vbmi,avx2,bmi,bmi2")]] Found by_sixty_four(const Tables& tables, const char* data, std::size_t at,
                                                                                std::size_t size) {
  __m512i first[kWindow], second[kWindow];
  for (std::size_t i = 0; i < kWindow; ++i) {
    first[i] = _mm512_load_si512(tables.ascii[i].data());
    second[i] = _mm512_load_si512(tables.ascii[i].data() + 64);
  }
  for (; at + 64 + kBehind <= size; at += 64) {
    __m512i groups = _mm512_set1_epi8(-1);
    __m512i all = _mm512_setzero_si512();
    for (std::size_t i = 0; i < kWindow; ++i) {
      const __m512i bytes = _mm512_loadu_si512(data + at + i);
      all = _mm512_or_si512(all, bytes);
      groups = _mm512_and_si512(groups, _mm512_permutex2var_epi8(first[i], bytes, second[i]));
    }
    if (_mm512_movepi8_mask(all) != 0) {
      const Found found = by_thirty_two(tables, data, at, at + 64 + kBehind);
      if (!found.none) return found;
      continue;
    }
    const std::uint64_t places = _mm512_test_epi8_mask(groups, groups);
    if (places == 0) continue;
    const std::uint64_t of_short = _mm512_movepi8_mask(groups);
    if (const int place = first_of(tables.bits.data(), data + at, places, of_short); place >= 0)
      return {at + static_cast<std::size_t>(place), false};
  }
  return {at, true};
}
#elif defined(__aarch64__)
// A bit a byte, from the lowest up.
std::uint32_t bits_of(uint8x16_t all_or_none) {
  constexpr std::uint8_t kWeights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t weighed = vandq_u8(all_or_none, vld1q_u8(kWeights));
  return vaddv_u8(vget_low_u8(weighed)) | static_cast<std::uint32_t>(vaddv_u8(vget_high_u8(weighed))) << 8;
}

Found by_sixteen(const Tables& tables, const char* data, std::size_t at, std::size_t size) {
  uint8x16_t low[kWindow], high[kWindow];
  for (std::size_t i = 0; i < kWindow; ++i) {
    low[i] = vld1q_u8(tables.low[i].data());
    high[i] = vld1q_u8(tables.high[i].data());
  }
  for (; at + 16 + kBehind <= size; at += 16) {
    uint8x16_t groups = vdupq_n_u8(0xff);
    for (std::size_t i = 0; i < kWindow; ++i) {
      const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(data + at + i));
      groups = vandq_u8(groups, vandq_u8(vqtbl1q_u8(low[i], vandq_u8(bytes, vdupq_n_u8(15))), vqtbl1q_u8(high[i], vshrq_n_u8(bytes, 4))));
    }
    if (vmaxvq_u8(groups) == 0) continue;
    const std::uint32_t places = bits_of(vtstq_u8(groups, groups));
    const std::uint32_t of_short = bits_of(vtstq_u8(groups, vdupq_n_u8(1u << WordFilter::kShortGroup)));
    if (const int place = first_of(tables.bits.data(), data + at, places, of_short); place >= 0)
      return {at + static_cast<std::size_t>(place), false};
  }
  return {at, true};
}
#endif

auto widest(unsigned most_lanes) {
#if defined(__x86_64__)
  if (most_lanes >= 64 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi2"))
    return by_sixty_four;
  if (most_lanes >= 32 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return by_thirty_two;
  if (most_lanes >= 16 && __builtin_cpu_supports("ssse3")) return by_sixteen;
#elif defined(__aarch64__)
  if (most_lanes >= 16) return by_sixteen;
#endif
  return one_by_one;
}

}  // namespace

WordFilter::WordFilter(unsigned most_lanes) : search_(widest(most_lanes)) {}

void WordFilter::add_byte(std::size_t place, char byte, unsigned group) {
  const auto value = static_cast<std::uint8_t>(byte);
  tables_.low[place][value & 15] |= static_cast<std::uint8_t>(1u << group);
  tables_.high[place][value >> 4] |= static_cast<std::uint8_t>(1u << group);
  if (value < 128) tables_.ascii[place][value] |= static_cast<std::uint8_t>(1u << group);
}

void WordFilter::add(std::string_view window, bool any_case, unsigned group) {
  for (std::size_t i = 0; i < kWindow; ++i) {
    add_byte(i, window[i], group);
    if (any_case && has_two_cases(window[i])) add_byte(i, static_cast<char>(window[i] ^ 0x20), group);
  }
  const std::uint32_t bit = hash_of(folded_at(window, 0)) >> (32 - kBits);
  tables_.bits[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

void WordFilter::add_short(std::string_view word) {
  for (std::size_t i = 0; i < kWindow; ++i) {
    if (i < word.size()) add_byte(i, word[i], kShortGroup);
    else for (unsigned any = 0; any < 256; ++any) add_byte(i, static_cast<char>(any), kShortGroup);
  }
}

std::size_t WordFilter::next(std::string_view text, std::size_t from) const {
  if (from >= text.size()) return std::string_view::npos;
  const Found found = search_(tables_, text.data(), from, text.size());
  if (!found.none) return found.at;
  // The last bytes, with zeros behind them, as a block of their own.
  std::array<char, 2 * kMostLanes + kBehind> last{};
  const std::size_t rest = text.size() - found.at;
  std::memcpy(last.data(), text.data() + found.at, rest);
  const Found in_last = search_(tables_, last.data(), 0, last.size());
  return in_last.none || in_last.at >= rest ? std::string_view::npos : found.at + in_last.at;
}

}  // namespace faultline
