// What a dump file may ask of us; beyond it the file is refused, whatever it says.
#pragma once

#include <cstddef>
#include <cstdint>

namespace faultline::flight_recorder {

// A ring of 20,000 entries with deep stacks is 5 to 7 MB.
inline constexpr std::size_t MAX_FILE_BYTES = std::size_t{64} << 20;
// Nesting of containers; real dumps need five.
inline constexpr unsigned MAX_DEPTH = 64;
inline constexpr std::uint32_t MAX_MEMO = 1'000'000;
// Memo numbers run without gaps in what c10 and CPython write.
inline constexpr std::uint32_t MEMO_SLACK = 16;
// Twelve times the largest jobs there are; what a list of them costs in the join is within BUDGET_BASE.
inline constexpr std::uint32_t MAX_RANKS = 131'072;
inline constexpr std::size_t MAX_FILES = MAX_RANKS;
// Process groups of one rank; large jobs have some hundred.
inline constexpr std::size_t MAX_GROUPS = 4096;
// What the join takes for a rank that it knows of, measured.
inline constexpr std::size_t RANK_BYTES = 192;
// Memory of one parse besides the file's own bytes: with them at most four times the file and 8 MiB.
inline constexpr std::size_t BUDGET_FACTOR = 3;
inline constexpr std::size_t BUDGET_BASE = std::size_t{6} << 20;
// Members of groups in all summaries together: a few bytes can name a million ranks.
inline constexpr std::size_t MAX_SUMMARY_MEMBERS = 8'000'000;
// Text of a dump as it is shown.
inline constexpr std::size_t MAX_SHOWN_TEXT = 4096;

}  // namespace faultline::flight_recorder
