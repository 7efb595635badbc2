// What a host tells the others of the dumps it has: enough of each rank for the same verdict, in a few KiB.
#pragma once

#include <string>

#include "flight_recorder/load/job.h"

namespace faultline::flight_recorder {

// Bounds of a rank's summary: groups, and operations of one group. With them it has at most MAX_SUMMARY_BYTES.
inline constexpr std::size_t MAX_SUMMARY_GROUPS = 24;
inline constexpr std::size_t MAX_SUMMARY_UNFINISHED = 8, MAX_SUMMARY_FINISHED = 4;
inline constexpr std::size_t MAX_SUMMARY_BYTES = 16 * 1024;
// More dumps in one place are a folder that hosts share: whoever reads it needs no summaries.
inline constexpr std::size_t MAX_SUMMARY_RANKS = 64;
inline constexpr char SUMMARY_SCHEMA[] = "faultline/fr-summary/1";

// The summary of these dumps as JSON text, small where they are of ranks of one host: texts, rank lists, signatures and
// stacks are in it once. Empty for more than MAX_SUMMARY_RANKS. Of a rank whose part is larger than MAX_SUMMARY_BYTES the
// oldest groups are left out.
std::string summary_of(const Job& job);

// True for a document of that schema. Takes its ranks over into `job` and says how many; what is not in its form is left out.
bool is_summary(const Dump& dump);
std::size_t take_summary(const Dump& dump, const std::string& path, Job& job);

// Leaves one job, that of this name or the one with the newest summary, and of it what was reported not long before its newest
// summary: earlier stalls are in the same file. Dumps stay. Says what was left out.
void settle_summaries(Job& job, const std::string& name, std::vector<std::string>& said);

}  // namespace faultline::flight_recorder
