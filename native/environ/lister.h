// The part of `faultline-environ` that has the right to see which files other users' processes have open. It cannot read.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "core/processes/environ_protocol.h"

namespace faultline::environ_reader {

struct ListingRequest {
  std::uint32_t pid = 0;
  std::uint32_t wants = 0;  // Wants
  std::uint64_t inode = 0;  // of the log that is wanted; 0: whichever it is
};

// What the answer begins with; its files follow. Descriptors come with it in this order: stat where `has_stat`, one of
// fdinfo for each of the first `infos` written files, status and log where `has_log`, and stat once more where `has_stat_after`.
struct Listing {
  std::int32_t error = 0;      // errno of the files
  std::int32_t log_error = 0;  // errno of the log
  std::uint32_t bytes = 0;
  std::uint32_t infos = 0;
  std::uint16_t has_stat = 0;
  std::uint16_t has_log = 0;
  std::uint16_t has_stat_after = 0;
  std::uint16_t unused = 0;
};

inline constexpr std::size_t kMostListing = sizeof(Listing) + kMostFileBytes;

// Serves request after request that comes through `channel` until it is closed. `other`: a process whose files can be seen only
// with the right. Does not return.
[[noreturn]] void serve_listings(int channel, pid_t other);

}  // namespace faultline::environ_reader
