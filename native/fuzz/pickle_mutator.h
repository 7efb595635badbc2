// Changes a pickle opcode by opcode: random bytes alone seldom get past the first few. Included by one file of a fuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace faultline::fuzz {

struct Random {
  std::uint32_t state;
  std::uint32_t below(std::size_t bound) {
    state = state * 1664525u + 1013904223u;
    return static_cast<std::uint32_t>((std::uint64_t{state} * bound) >> 32);
  }
};

struct Opcode {
  std::uint32_t at, length;
};

// Bytes behind an opcode that belong to it, lengths of texts included; opcodes as in pickle.cc.
inline std::size_t argument(const std::uint8_t* at, std::size_t left) {
  const auto counted = [&](std::size_t width) {
    std::uint64_t length = 0;
    if (left > width) std::memcpy(&length, at + 1, width);
    return length > left ? left : width + static_cast<std::size_t>(length);
  };
  switch (*at) {
    case 0x80: case 'K': case 'q': case 'h': return 1;
    case 'M': return 2;
    case 'J': case 'r': case 'j': return 4;
    case 'G': case 0x95: return 8;
    case 0x8a: case 0x8c: case 'C': return counted(1);
    case 'X': case 'B': case 0x8b: return counted(4);
    case 0x8d: return counted(8);
    default: return 0;
  }
}

// What is put in between: keys and values that mean something, whole entries, and shapes of attacks.
inline constexpr std::string_view PIECES[] = {
    "\x8c\x07" "entries", "\x8c\x09" "pg_status", "\x8c\x09pg_config", "\x8c\x07version", "\x8c\x04" "2.10",
    "\x8c\x09record_id", "\x8c\x06" "frames", "\x8c\x05state", "\x8c\x09" "completed", "\x8c\x0binput_sizes",
    "\x8c\x0cinput_dtypes", "\x8c\x0dprocess_group", "\x8c\x11" "collective_seq_id", "\x8c\x0eprofiling_name",
    "\x8c\x0ftime_created_ns", "\x8c\x0b" "duration_ms", "\x8c\x05op_id", "\x8c\x05pg_id", "\x8c\x07retired",
    std::string_view("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80", 10), std::string_view("\x8a\x00", 2),
    std::string_view("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x3f", 10), std::string_view("\x8b\x00\x00\x00\x80", 5),
    std::string_view("G\x7f\xf0\x00\x00\x00\x00\x00\x00", 9), std::string_view("r\xff\xff\xff\x0f", 5),
    std::string_view("\x8d\xff\xff\xff\xff\xff\xff\xff\xff", 9), std::string_view("j\x00\x01\x00\x00", 5),
    std::string_view("}(\x8c\x09record_idK\x01u", 16), "](", "}(", "(", "]", "}", ")", "e", "u", "a", "s", "l", "d", "t",
    "N", "\x88", "\x89", "\x85", "\x86", "\x87", "\x94", ".", "h\x01", "q\x01", "h\x02", "](K\x10" "e", "](](K\x10" "ee",
    "}q\x01(\x8c\x09record_idK\x01\x8c\x06" "frames](h\x02" "eu",
};
// Opcodes that can stand for each other, by the length of what follows.
inline constexpr std::string_view SWAPS[] = {"(]})elatudsN\x88\x89\x85\x86\x87\x94.", "Kqh", "M", "", "Jrj"};

inline std::size_t mutate_pickle(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  static std::vector<Opcode> opcodes;
  static std::vector<std::uint8_t> scratch;
  Random random{seed * 2654435761u + 1};
  if (size == 0 || data[0] == '{' || random.below(4) == 0) return LLVMFuzzerMutate(data, size, most);
  for (std::uint32_t changes = 1 + random.below(3); changes > 0 && size > 0; --changes) {
    opcodes.clear();
    for (std::size_t at = 0; at < size;) {
      const std::size_t whole = 1 + argument(data + at, size - at);
      const std::size_t length = whole > size - at ? size - at : whole;
      opcodes.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(length)});
      at += length;
    }
    const std::size_t first = random.below(opcodes.size());
    const std::size_t run = random.below(8) == 0 ? random.below(opcodes.size()) : random.below(6);
    const std::size_t last = first + run < opcodes.size() ? first + run : opcodes.size() - 1;
    const Opcode one = opcodes[first];
    const std::size_t end = opcodes[last].at + opcodes[last].length;
    const std::size_t elsewhere = opcodes[random.below(opcodes.size())].at;
    const auto insert = [&](std::size_t at, const std::uint8_t* from, std::size_t length) {
      if (length == 0 || size + length > most) return;
      scratch.assign(from, from + length);
      std::memmove(data + at + length, data + at, size - at);
      std::memcpy(data + at, scratch.data(), length);
      size += length;
    };
    switch (random.below(8)) {
      case 0:
        std::memmove(data + one.at, data + end, size - end);
        size -= end - one.at;
        break;
      case 1:
      case 2: insert(elsewhere, data + one.at, end - one.at); break;
      case 3:
      case 4: {
        const std::string_view piece = PIECES[random.below(std::size(PIECES))];
        insert(elsewhere, reinterpret_cast<const std::uint8_t*>(piece.data()), piece.size());
        break;
      }
      case 5:
        if (one.length > 1) data[one.at + 1 + random.below(one.length - 1)] = static_cast<std::uint8_t>(random.below(256));
        break;
      case 6:
        if (one.length <= std::size(SWAPS) && !SWAPS[one.length - 1].empty()) {
          const std::string_view others = SWAPS[one.length - 1];
          data[one.at] = static_cast<std::uint8_t>(others[random.below(others.size())]);
        }
        break;
      default:
        if (one.length > 1) std::memset(data + one.at + 1, random.below(2) == 0 ? 0xff : 0, one.length - 1 < 8 ? one.length - 1 : 8);
        break;
    }
  }
  return size;
}

}  // namespace faultline::fuzz
