// What a vendor child and its supervisor agree on besides the ring: file descriptors, exit codes, limits.
#pragma once

#include <cstdint>

namespace faultline {

inline constexpr int kRingFd = 3;
inline constexpr int kWakeFd = 4;  // eventfd; written once a tick and once a notice

// Exit codes of the child. 0 is a clean end on request.
enum VendorExit : int {
  kExitAbsent = 10,       // no library, no driver or no device: try again later
  kExitFailed = 11,       // the library is there and does not work
  kExitLibraryDead = 12,  // it worked and then reported that the driver went away
  kExitBadStart = 13,     // the arguments or the shared memory are not this build's
  kExitOrphaned = 14,     // the supervisor is gone
  kExitDevicesChanged = 15,  // the driver took or left a device: list them again at once
  kExitUsage = 64,
};

// In place of an interval: nothing is polled, only events are waited for.
inline constexpr std::int64_t kEventsOnly = 0;
inline constexpr std::int64_t kShortestIntervalNs = 10'000'000;
inline constexpr std::int64_t kLongestIntervalNs = 60'000'000'000;

}  // namespace faultline
