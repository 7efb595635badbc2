// The text of a W3C trace context (Trace Context, version 00): checked where it comes in, carried as it is.
#pragma once

#include <cstddef>
#include <string_view>

namespace faultline {

// "00-<32 hex digits>-<16 hex digits>-<2 hex digits>", lower case, neither id all zeros.
constexpr bool is_traceparent(std::string_view text) {
  if (text.size() != 55 || text.substr(0, 3) != "00-" || text[35] != '-' || text[52] != '-') return false;
  const auto hex = [](std::string_view digits) {
    return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  };
  const auto id = [hex](std::string_view digits) {
    return hex(digits) && digits.find_first_not_of('0') != std::string_view::npos;
  };
  return id(text.substr(3, 32)) && id(text.substr(36, 16)) && hex(text.substr(53));
}

}  // namespace faultline
