// Bits and texts that writer and reader of a summary share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::flight_recorder {

namespace flag {
// Of a rank.
inline constexpr std::int64_t TRUNCATED = 1, TIMING = 2, GLOO = 4, REFUSED = 8;
// Of a group.
inline constexpr std::int64_t STATUS = 1, OPS = 2, HAS_P2P = 4, COLLECTIVES = 8, COUNTS_OPS = 16;
// Of an operation.
inline constexpr std::int64_t P2P = 1, SENDS = 2, DONE = 4, STARTED = 8, TIMED_OUT = 16, ABORTED = 32;
}  // namespace flag

// Ranks as runs, "0-3,8-64/8" (from, to, step), and back; nullopt for anything else and for more than `most`.
std::string runs_of(const std::vector<std::int64_t>& ranks);
std::optional<std::vector<std::int64_t>> ranks_of_runs(std::string_view text, std::size_t most);

}  // namespace faultline::flight_recorder
