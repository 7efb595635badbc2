// Summaries of many hosts in one file: one a line, or as texts in the OTLP JSON that a collector's file exporter writes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace faultline::flight_recorder {

// By how the file begins.
bool holds_summaries(std::span<const unsigned char> bytes);

// Each summary with the byte that it begins at; the text is good until the next one. A text in OTLP JSON that does not end
// is given as far as it goes.
void each_summary(std::span<const unsigned char> bytes, const std::function<void(std::uint64_t, std::string_view)>& take);

}  // namespace faultline::flight_recorder
