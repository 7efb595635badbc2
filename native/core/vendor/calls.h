// The library calls that a vendor child can be stuck in, by number, so that its supervisor can name them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace faultline {

// From the vendors' tables (vendor/backends.def).
enum class VendorCall : std::uint32_t {
  kDlopen,
#define CALL(id, name, kind) id,
#include "vendor/backends.def"
  kEnd,
};

// What a call may take: one that starts the library or opens a device waits for the driver to wake it, one that waits for
// events does nothing else.
enum class CallKind : std::uint8_t { kOrdinary, kStartsUp, kOpensDevice, kWaits };

inline constexpr std::array<std::string_view, static_cast<std::size_t>(VendorCall::kEnd)> kVendorCallNames{
    "dlopen",
#define CALL(id, name, kind) name,
#include "vendor/backends.def"
};
inline constexpr std::array<CallKind, kVendorCallNames.size()> kVendorCallKinds{
    CallKind::kStartsUp,
#define CALL(id, name, kind) CallKind::kind,
#include "vendor/backends.def"
};

// How long the event thread waits inside the library when nothing happens; its deadline is longer by this.
inline constexpr std::int64_t kEventWaitMs = 300;

constexpr std::string_view vendor_call_name(VendorCall call) {
  const auto index = static_cast<std::size_t>(call);
  return index < kVendorCallNames.size() ? kVendorCallNames[index] : std::string_view{};
}

constexpr CallKind vendor_call_kind(VendorCall call) {
  const auto index = static_cast<std::size_t>(call);
  return index < kVendorCallKinds.size() ? kVendorCallKinds[index] : CallKind::kOrdinary;
}

// Whether a call of that name opens a device: a device that is lost by it was not held by any child.
constexpr bool opens_device(std::string_view name) {
  for (std::size_t call = 0; call < kVendorCallNames.size(); ++call) {
    if (kVendorCallKinds[call] == CallKind::kOpensDevice && kVendorCallNames[call] == name) return true;
  }
  return false;
}

}  // namespace faultline
