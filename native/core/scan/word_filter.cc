// Where one of many words may be: two sieves that most places of a log fall through, up to sixty-four places at a time.
#include "core/scan/word_filter.h"

#include <algorithm>
#include <array>
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
using Marks = WordFilter::Marks;

constexpr std::size_t kWindow = WordFilter::kWindow;
constexpr std::size_t kSets = WordFilter::kSets;
constexpr unsigned kTopGroup = WordFilter::kSet - 1;  // of its set
constexpr std::size_t kBlock = WordFilter::kBlock;
constexpr std::uint32_t kFold = 0x20202020;
constexpr std::size_t kBehind = kWindow - 1;  // bytes that are read behind a block

// The first sieve, each way: of so many blocks a mark for each place that a group takes.

void one_by_one(const Tables& tables, const char* data, std::size_t blocks, Marks& marks) {
  for (std::size_t block = 0; block < blocks; ++block, data += kBlock) {
    std::uint64_t any = 0;
    std::uint64_t of_short = 0;
    for (std::size_t at = 0; at < kBlock; ++at) {
      for (std::size_t set = 0; set < kSets; ++set) {
        std::uint8_t groups = 0xff;
        for (std::size_t i = 0; i < kWindow; ++i) {
          const auto byte = static_cast<std::uint8_t>(data[at + i]);
          groups &= tables.low[set][i][byte & 15] & tables.high[set][i][byte >> 4];
        }
        any |= std::uint64_t{groups != 0} << at;
        if (set == kSets - 1) of_short |= static_cast<std::uint64_t>(groups >> kTopGroup) << at;
      }
    }
    marks.any[block] = any;
    marks.of_short[block] = of_short;
  }
}

// A set after the other: the tables of one are as many as there are registers for.
void keep(Marks& marks, std::size_t block, std::size_t set, std::uint64_t any, std::uint64_t top_group) {
  marks.any[block] = set == 0 ? any : marks.any[block] | any;
  marks.of_short[block] = top_group;
}

#if defined(__x86_64__)
[[gnu::target("ssse3")]] void by_sixteen(const Tables& tables, const char* data, std::size_t blocks, Marks& marks) {
  const __m128i half = _mm_set1_epi8(15);
  for (std::size_t set = 0; set < kSets; ++set) {
    __m128i low[kWindow], high[kWindow];
    for (std::size_t i = 0; i < kWindow; ++i) {
      low[i] = _mm_load_si128(reinterpret_cast<const __m128i*>(tables.low[set][i].data()));
      high[i] = _mm_load_si128(reinterpret_cast<const __m128i*>(tables.high[set][i].data()));
    }
    for (std::size_t block = 0; block < blocks; ++block) {
      std::uint64_t none = 0;
      std::uint64_t top = 0;
      for (std::size_t at = 0; at < kBlock; at += 16) {
        __m128i groups = _mm_set1_epi8(-1);
        for (std::size_t i = 0; i < kWindow; ++i) {
          const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + block * kBlock + at + i));
          const __m128i upper = _mm_and_si128(_mm_srli_epi16(bytes, 4), half);
          groups = _mm_and_si128(groups, _mm_and_si128(_mm_shuffle_epi8(low[i], _mm_and_si128(bytes, half)), _mm_shuffle_epi8(high[i], upper)));
        }
        none |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(groups, _mm_setzero_si128())))} << at;
        top |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(groups))} << at;
      }
      keep(marks, block, set, ~none, top);
    }
  }
}

[[gnu::target("avx2")]] void by_thirty_two(const Tables& tables, const char* data, std::size_t blocks, Marks& marks) {
  const __m256i half = _mm256_set1_epi8(15);
  for (std::size_t set = 0; set < kSets; ++set) {
    __m256i low[kWindow], high[kWindow];
    for (std::size_t i = 0; i < kWindow; ++i) {
      low[i] = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(tables.low[set][i].data())));
      high[i] = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(tables.high[set][i].data())));
    }
    for (std::size_t block = 0; block < blocks; ++block) {
      std::uint64_t none = 0;
      std::uint64_t top = 0;
      for (std::size_t at = 0; at < kBlock; at += 32) {
        __m256i groups = _mm256_set1_epi8(-1);
        for (std::size_t i = 0; i < kWindow; ++i) {
          const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + block * kBlock + at + i));
          const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
          groups = _mm256_and_si256(
              groups, _mm256_and_si256(_mm256_shuffle_epi8(low[i], _mm256_and_si256(bytes, half)), _mm256_shuffle_epi8(high[i], upper)));
        }
        none |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(groups, _mm256_setzero_si256())))} << at;
        top |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(groups))} << at;
      }
      keep(marks, block, set, ~none, top);
    }
  }
}

// By whole bytes: a block that has others than ASCII in it is looked at by their halves.
[[gnu::target("avx512f,avx512bw,avx512vbmi,avx2")]] void by_sixty_four(const Tables& tables, const char* data, std::size_t blocks, Marks& marks) {
  __m512i first[kSets][kWindow], second[kSets][kWindow];
  for (std::size_t set = 0; set < kSets; ++set) {
    for (std::size_t i = 0; i < kWindow; ++i) {
      first[set][i] = _mm512_load_si512(tables.ascii[set][i].data());
      second[set][i] = _mm512_load_si512(tables.ascii[set][i].data() + 64);
    }
  }
  for (std::size_t block = 0; block < blocks; ++block, data += kBlock) {
    __m512i groups[kSets];
    for (__m512i& each : groups) each = _mm512_set1_epi8(-1);
    __m512i all = _mm512_setzero_si512();
    for (std::size_t i = 0; i < kWindow; ++i) {
      const __m512i bytes = _mm512_loadu_si512(data + i);
      all = _mm512_or_si512(all, bytes);
      for (std::size_t set = 0; set < kSets; ++set) groups[set] = _mm512_and_si512(groups[set], _mm512_permutex2var_epi8(first[set][i], bytes, second[set][i]));
    }
    if (_mm512_movepi8_mask(all) != 0) {
      Marks one;
      by_thirty_two(tables, data, 1, one);
      marks.any[block] = one.any[0];
      marks.of_short[block] = one.of_short[0];
      continue;
    }
    __m512i any = groups[0];
    for (std::size_t set = 1; set < kSets; ++set) any = _mm512_or_si512(any, groups[set]);
    marks.any[block] = _mm512_test_epi8_mask(any, any);
    marks.of_short[block] = _mm512_movepi8_mask(groups[kSets - 1]);
  }
}
#elif defined(__aarch64__)
// A bit a byte, from the lowest up.
std::uint64_t bits_of(uint8x16_t all_or_none) {
  constexpr std::uint8_t kWeights[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t weighed = vandq_u8(all_or_none, vld1q_u8(kWeights));
  return vaddv_u8(vget_low_u8(weighed)) | static_cast<std::uint64_t>(vaddv_u8(vget_high_u8(weighed))) << 8;
}

void by_sixteen(const Tables& tables, const char* data, std::size_t blocks, Marks& marks) {
  for (std::size_t set = 0; set < kSets; ++set) {
    uint8x16_t low[kWindow], high[kWindow];
    for (std::size_t i = 0; i < kWindow; ++i) {
      low[i] = vld1q_u8(tables.low[set][i].data());
      high[i] = vld1q_u8(tables.high[set][i].data());
    }
    for (std::size_t block = 0; block < blocks; ++block) {
      std::uint64_t any = 0;
      std::uint64_t top = 0;
      for (std::size_t at = 0; at < kBlock; at += 16) {
        uint8x16_t groups = vdupq_n_u8(0xff);
        for (std::size_t i = 0; i < kWindow; ++i) {
          const uint8x16_t bytes = vld1q_u8(reinterpret_cast<const std::uint8_t*>(data + block * kBlock + at + i));
          groups = vandq_u8(groups, vandq_u8(vqtbl1q_u8(low[i], vandq_u8(bytes, vdupq_n_u8(15))), vqtbl1q_u8(high[i], vshrq_n_u8(bytes, 4))));
        }
        any |= bits_of(vtstq_u8(groups, groups)) << at;
        top |= bits_of(vtstq_u8(groups, vdupq_n_u8(1u << kTopGroup))) << at;
      }
      keep(marks, block, set, any, top);
    }
  }
}
#endif

// The second sieve: the marked places in a row, then those of them whose four bytes have their bit, or that a short word has marked. No
// branch hangs on a place, since nothing foretells which of them pass: so many at a time, whether they are there or not.
[[gnu::always_inline]] inline void take_marked(const Tables& tables, const Marks& marks, const char* data, std::size_t blocks, WordFilter::Places& places) {
  std::uint16_t* const all = places.at.data();
  std::uint16_t* end = all;
  for (std::size_t block = 0; block < blocks; ++block) {
    std::uint64_t any = marks.any[block];
    const auto base = static_cast<unsigned>(block * kBlock);
    std::uint16_t* into = end;
    end += std::popcount(any);
    do {
      for (std::size_t i = 0; i < WordFilter::kTogether; ++i, any &= any - 1) *into++ = static_cast<std::uint16_t>(base + static_cast<unsigned>(std::countr_zero(any)));
    } while (any != 0);
  }
  const std::uint64_t* const bits = tables.bits.data();
  const std::uint64_t* const pairs = tables.pairs.data();
  std::size_t count = 0;
  for (const std::uint16_t* from = all; from != end; ++from) {
    const std::uint16_t at = *from;
    std::uint32_t four;
    std::memcpy(&four, data + at, sizeof four);
    const std::uint32_t bit = WordFilter::hash_of(four | kFold) >> (32 - WordFilter::kBits);
    const std::uint32_t pair = four & 0xffff;
    const std::uint64_t is_short = (marks.of_short[at / kBlock] >> (at % kBlock)) & (pairs[pair / 64] >> (pair % 64));
    const std::uint64_t passes = (bits[bit / 64] >> (bit % 64)) | is_short;
    all[count] = at;
    count += passes & 1;
  }
  places.count = count;
}

void take(const Tables& tables, const Marks& marks, const char* data, std::size_t blocks, WordFilter::Places& places) {
  take_marked(tables, marks, data, blocks, places);
}

#if defined(__x86_64__)
[[gnu::target("bmi,bmi2,popcnt")]] void take_by_bits(const Tables& tables, const Marks& marks, const char* data, std::size_t blocks, WordFilter::Places& places) {
  take_marked(tables, marks, data, blocks, places);
}
#endif

WordFilter::Sieves widest(unsigned most_lanes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt")) {
    if (most_lanes >= 64 && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw")) return {by_sixty_four, take_by_bits};
    if (most_lanes >= 32 && __builtin_cpu_supports("avx2")) return {by_thirty_two, take_by_bits};
  }
  if (most_lanes >= 16 && __builtin_cpu_supports("ssse3")) return {by_sixteen, take};
#elif defined(__aarch64__)
  if (most_lanes >= 16) return {by_sixteen, take};
#endif
  return {one_by_one, take};
}

}  // namespace

WordFilter::WordFilter(unsigned most_lanes) : sieves_(widest(most_lanes)) {}

void WordFilter::add_byte(std::size_t place, char byte, unsigned group) {
  const auto value = static_cast<std::uint8_t>(byte);
  const unsigned set = group / kSet;
  const auto bit = static_cast<std::uint8_t>(1u << (group % kSet));
  tables_.low[set][place][value & 15] |= bit;
  tables_.high[set][place][value >> 4] |= bit;
  if (value < 128) tables_.ascii[set][place][value] |= bit;
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
  std::uint16_t pair;
  std::memcpy(&pair, word.data(), sizeof pair);
  tables_.pairs[pair / 64] |= std::uint64_t{1} << (pair % 64);
}

std::size_t WordFilter::places_in(std::string_view text, std::size_t from, Places& places) const {
  const std::size_t readable = text.size() - from;
  const std::size_t wanted = std::min(kPiece, readable);
  if (readable >= kPiece + kBehind) {
    through(text.data() + from, kPiece / kBlock, places);
    return wanted;
  }
  // The last piece, with zeros behind it: no word has all of its bytes there.
  std::array<char, kPiece + kBlock + kBehind> last;
  std::memcpy(last.data(), text.data() + from, readable);
  std::memset(last.data() + readable, 0, std::min(last.size() - readable, kBlock + kBehind));
  through(last.data(), (wanted + kBlock - 1) / kBlock, places);
  while (places.count > 0 && places.at[places.count - 1] >= wanted) --places.count;
  return wanted;
}

void WordFilter::through(const char* data, std::size_t blocks, Places& places) const {
  Marks marks;
  sieves_.mark(tables_, data, blocks, marks);
  sieves_.take(tables_, marks, data, blocks, places);
}

}  // namespace faultline
