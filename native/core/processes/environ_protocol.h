// What the daemon and `faultline-environ` say to each other, one packet each: both are of one build and one machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faultline::environ_reader {

inline constexpr std::uint32_t kMagic = 0x31454c46;  // "FLE1"

// kWantsLog: a descriptor of what the process prints into comes with the answer, open for reading.
enum Wants : std::uint32_t { kWantsVariables = 1, kWantsLibraries = 2, kWantsFiles = 4, kWantsLog = 8 };

struct Request {
  std::uint32_t magic = kMagic;
  std::uint32_t list = 0;  // allowed::kSum of who asks
  std::uint32_t pid = 0;
  std::uint32_t wants = 0;
  std::uint64_t start_ticks = 0;  // with the pid one process; of another one nothing is handed over
  std::uint64_t number = 0;       // comes back with the answer
  std::uint64_t inode = 0;        // of the log that is wanted; 0: whichever it is
};
static_assert(sizeof(Request) == 40);

// By which capability the kernel lets the reader read.
enum Way : std::uint32_t { kNoWay = 0, kPerfmon = 1, kPtrace = 2 };

// What the answer begins with. Values follow, each as ValueHead and its bytes; its last `files_bytes` are files, each as FileHead
// and its text.
struct AnswerHead {
  std::uint32_t magic = kMagic;
  std::uint32_t list = 0;
  std::uint64_t number = 0;
  std::uint32_t way = kNoWay;
  std::uint32_t shut_off = 0;         // 1: the kernel holds it to /proc (Landlock)
  std::int32_t variables_error = 0;   // errno
  std::int32_t libraries_error = 0;
  std::uint64_t libraries = 0;        // bit by place in allowed::kLibraries
  std::int32_t files_error = 0;       // errno
  std::int32_t log_error = 0;         // errno; 0 where a descriptor comes with the answer
  std::uint32_t files_bytes = 0;
  std::uint32_t lists_files = 0;      // 1: the kernel lets it see open files (CAP_SYS_PTRACE)
};
static_assert(sizeof(AnswerHead) == 56);

struct ValueHead {
  std::uint16_t place;  // in allowed::kNames
  std::uint16_t size;
};

// Of a file that the process has open.
enum FileIs : std::uint16_t {
  kWritten = 1,      // open for writing; the text is its path
  kOutput = 2,       // besides: it is the standard output or error
  kInputPipe = 4,    // the standard input; the text is "pipe:[<inode>]"
  kOutputPipe = 8,   // the standard output or error
  kDeviceFile = 16,  // of the allow-list; the text is its path
};

struct FileHead {
  std::uint64_t inode = 0;  // of a written file; 0 where the kernel does not say (before 5.14)
  std::uint16_t is = 0;
  std::uint16_t size = 0;
  std::uint32_t unused = 0;
};
static_assert(sizeof(FileHead) == 16);

inline constexpr std::size_t kMostValue = 4095;
inline constexpr std::size_t kMostFiles = 32;        // written ones, of one process
inline constexpr std::size_t kMostFileBytes = 16 * 1024;
inline constexpr std::size_t kMostAnswer = 64 * 1024;

}  // namespace faultline::environ_reader
