// The join: process groups over all dumps, what each rank waits for, and where that ends.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "flight_recorder/load/job.h"

namespace faultline::flight_recorder {

// One rank of the job, with or without a dump.
struct Node {
  std::int64_t rank;
  std::uint32_t dump = NO_ID;  // of Job::dumps
  bool refused = false;        // its file could not be read
};

// What one rank knows of one group. `local` is NO_ID where the group is known from other ranks only.
struct Member {
  std::uint32_t node;
  std::uint32_t local = NO_ID;
};

struct Group {
  std::uint32_t name, desc;
  std::vector<Member> members;  // by rank
  std::vector<std::int64_t> order;  // ranks in the group's own order, for its local numbers; empty when unknown
  bool has_p2p = false;
  bool status_counts_collectives = false;  // pg_status and collective_seq_id speak of the same numbers
  bool guessed = false;                    // some members are inferred
};

enum class At : std::uint8_t { unknown, not_joined, pending, done, silent };

struct Mismatch {
  std::uint32_t group;
  std::int64_t seq;
  const char* what;                   // operation | size | dtype | count | total_size
  std::vector<std::uint32_t> differ;  // nodes that differ from the most; all when there is no majority
  bool majority = false;
  std::uint32_t expected = NO_ID, found = NO_ID;  // signatures
  std::size_t place = 0;              // which of the operations under this number, as of a coalesced launch, they are
  std::size_t launched_expected = 1, launched_found = 1;  // how many there are on each side
  bool unfinished = false;            // a rank never ended this operation
};

// An operation that a rank did not finish, as a point that ranks wait at.
struct Stall {
  std::uint32_t group;
  std::int64_t seq;
  bool p2p = false;
  std::uint32_t from = 0, to = 0;  // nodes, of point-to-point
  std::uint32_t signature = NO_ID;
  std::int64_t since_ns = 0;       // earliest record of it
  std::vector<std::uint32_t> pending, done, missing, silent, unknown, behind;
  std::vector<std::uint32_t> ops;  // of Job::dumps[..].ops, in step with pending
  const Mismatch* mismatch = nullptr;
};

// What was unfinished, though not for long.
struct Young {
  std::int64_t age_ns = 0, usual_ns = 0;
  std::uint32_t group = NO_ID;
  std::int64_t seq = -1;
  std::uint32_t signature = NO_ID;
};

struct Straggler {
  std::int64_t rank;
  double lateness_ms, share;
  std::uint32_t group, signature;
  std::size_t samples;
};

struct Verdict {
  const char* type;
  std::uint32_t group = NO_ID;
  std::int64_t seq = -1;
  std::uint32_t signature = NO_ID;
  std::vector<std::uint32_t> culprits, waiting;  // nodes
  double confidence = 0;
  std::string why;
  std::int64_t since_ns = 0;
  bool p2p = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> shown;  // node and its operation, for evidence and frames
  std::vector<std::pair<std::uint32_t, std::int64_t>> groups;  // of a lock order: the groups it goes round
};

struct Join {
  explicit Join(const Job& from) : job(from) {}
  const Job& job;
  std::vector<Node> nodes;  // by rank
  std::unordered_map<std::int64_t, std::uint32_t> node_of;
  std::vector<Group> groups;
  std::vector<Mismatch> mismatches;
  std::vector<Stall> stalls;
  bool running = false;  // nothing is unfinished, and every rank was busy until its dump
  Young young;  // with a group: what there would be a stall at, were it not so young
  std::deque<Verdict> verdicts;  // they stay where they are while more are added
  std::vector<Straggler> stragglers;
  std::vector<std::int64_t> missing;  // ranks without a dump
  std::int64_t world = 0;             // 0: unknown

  const RankDump* dump(std::uint32_t node) const {
    return nodes[node].dump == NO_ID ? nullptr : &job.dumps[nodes[node].dump];
  }
  const LocalGroup* local(const Member& member) const {
    const RankDump* of = dump(member.node);
    return of == nullptr || member.local == NO_ID ? nullptr : &of->groups[member.local];
  }
  // The member's collective with this number in its dump, NO_ID when it is not there.
  std::uint32_t find(const Member& member, std::int64_t seq) const;
  // Where the member was with a collective of this number.
  At at(const Group& group, const Member& member, std::int64_t seq, std::int64_t since_ns) const;
};

void join_groups(Join& join);
void find_mismatches(Join& join);
void find_stalls(Join& join);
void find_verdicts(Join& join);
void find_stragglers(Join& join);

}  // namespace faultline::flight_recorder
