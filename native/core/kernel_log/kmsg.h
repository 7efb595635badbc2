// Parses what /dev/kmsg gives: `prio,seq,usec,flags[,...];text`, escapes and all. The text may be hostile.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/sink.h"

namespace faultline {

// The kernel's own bound on a record read from /dev/kmsg is 2 KiB (CONSOLE_EXT_LOG_MAX at most 8 KiB).
inline constexpr std::size_t kMaxKmsgBytes = 8192;

// What a head says of its record besides what `KernelRecord` has.
struct KmsgRecord : KernelRecord {
  // Text that belongs to a line which another message interrupted: it may begin with anything that the line held.
  bool fragment = false;
};

// One record without its ` KEY=value` lines (what follows the first newline is left out); `observed_ns` is not set.
// Nothing when it is not in this form. Format: Documentation/ABI/testing/dev-kmsg of the Linux kernel.
std::optional<KmsgRecord> parse_kmsg(std::string_view record);
// The same without its text, which `text` has as it is written.
std::optional<KmsgRecord> parse_kmsg_head(std::string_view record, std::string_view& text);

// Decodes \xNN, puts U+FFFD for invalid UTF-8 and for control characters other than tab and newline.
std::string decode_kmsg_text(std::string_view text);

}  // namespace faultline
