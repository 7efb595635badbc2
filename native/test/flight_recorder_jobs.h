// A small job whose truth is known, as the dumps of its ranks: rank 1 of 4 stopped before an operation of its pair.
#pragma once

#include <array>

#include "test/flight_recorder_dialects.h"

namespace jobs {

using dialects::Dict;
using dialects::List;
using dialects::Pair;
using dialects::Tree;

struct Format {
  const char* version;
  bool frames, timing;
};
inline constexpr Format FORMATS[] = {{"2.10", true, false}, {"2.4", false, true}, {"2.9", true, true}, {"1.2", true, false}};
inline constexpr int RANKS = 4;
inline constexpr int CULPRIT = 1;

struct Group {
  const char *name, *desc, *ranks;
};
inline constexpr Group WORLD{"0", "default_pg", "[0, 1, 2, 3]"};
inline constexpr std::array<Group, 2> PAIRS{Group{"1", "tp", "[0, 1]"}, Group{"2", "tp", "[2, 3]"}};

inline Tree entry(const Format& format, int record, int pg, const Group& group, int seq, bool done) {
  const std::int64_t created = 1795818744544767432 + record * 1'000'000;
  Dict made;
  if (format.frames) made.emplace_back("frames", List{Dict{{"name", "step"}, {"filename", "loop.py"}, {"line", 7 + pg}}});
  made.emplace_back("record_id", record);
  made.emplace_back("pg_id", pg);
  made.emplace_back("process_group", Pair{{group.name, group.desc}});
  made.emplace_back("collective_seq_id", seq);
  made.emplace_back("op_id", seq);
  made.emplace_back("profiling_name", "nccl:all_reduce");
  made.emplace_back("time_created_ns", created);
  if (format.timing && done) made.emplace_back("duration_ms", 1.5);
  made.emplace_back("input_sizes", List{List{512}});
  made.emplace_back("input_dtypes", List{"Float"});
  made.emplace_back("state", done ? "completed" : format.timing ? "started" : "scheduled");
  made.emplace_back("time_discovered_completed_ns", done ? Tree(created + 5'000) : Tree(nullptr));
  made.emplace_back("retired", done);
  made.emplace_back("timeout_ms", 600'000);
  made.emplace_back("is_p2p", false);
  return made;
}

inline Tree status(int enqueued, int completed) {
  return Dict{{"last_enqueued_collective", enqueued}, {"last_started_collective", -1}, {"last_completed_collective", completed}};
}
inline Tree config(const Group& group) { return Dict{{"name", group.name}, {"desc", group.desc}, {"ranks", group.ranks}}; }

// Both pairs reduce, then the world, then the pairs again; rank 1 never enters the last, rank 0 waits for it there, ranks 2
// and 3 wait in the world after it.
inline Tree dump(int rank, const Format& format) {
  const Group& pair = PAIRS[static_cast<std::size_t>(rank / 2)];
  List entries{entry(format, 0, 1, pair, 1, true), entry(format, 1, 0, WORLD, 1, true)};
  const bool waits_in_world = rank > 1;
  if (rank != CULPRIT) entries.push_back(entry(format, 2, 1, pair, 2, waits_in_world));
  if (waits_in_world) entries.push_back(entry(format, 3, 0, WORLD, 2, false));
  return Dict{{"version", format.version},
              {"pg_config", Dict{{WORLD.name, config(WORLD)}, {pair.name, config(pair)}}},
              {"pg_status", Dict{{"0", status(waits_in_world ? 2 : 1, 1)},
                                 {"1", status(rank == CULPRIT ? 1 : 2, waits_in_world ? 2 : 1)}}},
              {"entries", entries}};
}

}  // namespace jobs
