// The dumps of one job side by side, small enough for thousands of ranks: what the join works on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flight_recorder/limits.h"
#include "flight_recorder/load/packed_ops.h"
#include "flight_recorder/parse/dump.h"

namespace faultline::flight_recorder {

inline constexpr std::uint32_t NO_ID = UINT32_MAX;

// Texts of all dumps, each kept once.
class Texts {
 public:
  std::uint32_t id(std::string_view text);
  const std::string& text(std::uint32_t id) const { return *texts_[id]; }

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<const std::string*> texts_;
};

enum class Kind : std::uint8_t {
  all_reduce, broadcast, reduce, all_gather, reduce_scatter, all_to_all, gather, scatter, barrier, send, recv, coalesced,
  other,
};
Kind kind_of(std::string_view operation);

// What ranks must agree on when they meet in a collective; equal ones have the same number.
struct Signature {
  std::string operation;  // without the back end
  Kind kind = Kind::other;
  std::string input_sizes, output_sizes;  // as text, "[[512]]"
  std::string dtype;                      // of the side that every rank has
  std::int64_t input_elements = 0, output_elements = 0;
  std::int64_t compared_elements = -1;  // -1: sizes may differ between ranks
  std::uint32_t key = 0;                // equal keys agree
};

struct Frame {
  std::uint32_t function, file;
  std::int64_t line;
};

// A process group as one rank knows it.
struct LocalGroup {
  std::uint32_t name, desc;
  std::uint32_t ranks = NO_ID;  // of Job::rank_lists
  std::int64_t pg_id = -1;
  bool has_status = false;
  std::int64_t enqueued = -1, completed = -1;  // pg_status
  std::int64_t entries_enqueued = -1;          // highest collective_seq_id in entries
  std::int64_t entries_completed = -1;
  bool has_ops = false, has_p2p = false, has_collectives = false;
  std::int64_t slowest_ns = 0;                 // longest time that operations took, or lay between two, more than once
  std::int64_t timeout_ms = 0;                 // longest of its operations
  std::uint32_t settled = 0;                   // times that slowest_ns is of
  bool counts_ops = false;  // op_id runs apart from collective_seq_id: pg_status may count either
  std::uint32_t first = 0, last = 0;  // its operations in RankDump::by_group
  std::uint32_t group = NO_ID;        // of the join
};

struct RankDump {
  std::int64_t rank = -1;
  std::string path, host, version, library;
  bool summarised = false;  // reported by its host, of this job where that was known
  std::string job;
  std::size_t entries = 0;
  bool truncated = false;
  std::optional<Rejection> rejection;
  bool whole = false;           // every operation since its start is there
  bool timing = false;          // start events were recorded
  bool gloo = false;
  std::int64_t oldest_ns = 0, newest_ns = 0;
  std::int64_t dumped_ns = 0;   // when the file was written, by the clock of its file system; 0: unknown
  std::int64_t active_ns = 0;   // when the rank last entered or ended anything
  std::int64_t pause_ns = 0;    // longest time between two entries that was seen more than once
  PackedOps ops;                // in the order they were recorded
  // Of unfinished operations and the last of each group: the operation and its stack, in the order of `ops`.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> stacks;
  std::shared_ptr<const std::uint32_t[]> by_group;  // operations by group, point-to-point last, then sequence
  std::vector<LocalGroup> groups;

  // NO_ID where none was kept.
  std::uint32_t stack(std::size_t op) const {
    const auto at = std::lower_bound(stacks.begin(), stacks.end(), std::pair(static_cast<std::uint32_t>(op), 0u));
    return at == stacks.end() || at->first != op ? NO_ID : at->second;
  }
};

struct Job {
  std::vector<RankDump> dumps;  // by rank
  std::vector<RankDump> refused;
  Texts texts;
  Programs programs;
  std::vector<Signature> signatures;
  std::vector<std::vector<Frame>> stacks;
  std::vector<std::vector<std::int64_t>> rank_lists;
  std::size_t summary_members = 0;  // of the rank lists of summaries
  std::size_t bytes = 0;  // of all dumps, which bounds what may be made of them
  std::unordered_map<std::string, std::uint32_t> signature_ids, stack_ids, key_ids, rank_list_ids;
};

// Takes over what the join needs from a dump; the dump is not needed afterwards.
void load(const Dump& dump, Job& job, RankDump& into);
// Keeps these operations, in the order of their record, and orders those of each group; what `load` does last. `number`: as in
// PackedOps::pack.
void keep_operations(std::span<const Op> ops, std::size_t number, Job& job, RankDump& into);
// Ranks that this dump can be of by its own content: members of every group it belongs to.
std::vector<std::int64_t> possible_ranks(const Job& job, const RankDump& dump);

}  // namespace faultline::flight_recorder
