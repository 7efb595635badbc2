// What the daemon and `faultline-environ` say to each other, one packet each: both are of one build and one machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faultline::environ_reader {

inline constexpr std::uint32_t kMagic = 0x31454c46;  // "FLE1"

enum Wants : std::uint32_t { kWantsVariables = 1, kWantsLibraries = 2 };

struct Request {
  std::uint32_t magic = kMagic;
  std::uint32_t list = 0;  // allowed::kSum of who asks
  std::uint32_t pid = 0;
  std::uint32_t wants = 0;
  std::uint64_t start_ticks = 0;  // with the pid one process; of another one nothing is handed over
  std::uint64_t number = 0;       // comes back with the answer
};
static_assert(sizeof(Request) == 32);

// By which capability the kernel lets the reader read.
enum Way : std::uint32_t { kNoWay = 0, kPerfmon = 1, kPtrace = 2 };

// What the answer begins with. Values follow, each as ValueHead and its bytes.
struct AnswerHead {
  std::uint32_t magic = kMagic;
  std::uint32_t list = 0;
  std::uint64_t number = 0;
  std::uint32_t way = kNoWay;
  std::uint32_t shut_off = 0;         // 1: the kernel holds it to /proc (Landlock)
  std::int32_t variables_error = 0;   // errno
  std::int32_t libraries_error = 0;
  std::uint64_t libraries = 0;        // bit by place in allowed::kLibraries
};
static_assert(sizeof(AnswerHead) == 40);

struct ValueHead {
  std::uint16_t place;  // in allowed::kNames
  std::uint16_t size;
};

inline constexpr std::size_t kMostValue = 4095;
inline constexpr std::size_t kMostAnswer = 64 * 1024;

}  // namespace faultline::environ_reader
