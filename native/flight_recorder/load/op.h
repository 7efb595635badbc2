// One recorded operation, as the join works on it.
#pragma once

#include <cstdint>

#include "flight_recorder/limits.h"

namespace faultline::flight_recorder {

// Times are ns since the epoch by the clock of the rank's host. There are millions of these: 10,240 ranks have rings of 2,000.
struct Op {
  std::int64_t created_ns;
  std::int64_t seq;        // collective_seq_id; of point-to-point operations p2p_seq_id
  std::uint32_t signature;
  std::int32_t peer = -1;  // group-local rank, of point-to-point operations
  std::int32_t own = -1;   // what self() or ended_us() answers
  std::uint16_t group;     // of RankDump::groups
  bool p2p : 1 = false, sends : 1 = false, done : 1 = false, started : 1 = false, timed_out : 1 = false;
  bool ended_by_abort : 1 = false;

  bool operator==(const Op&) const = default;

  // Group-local rank of who recorded it, of point-to-point operations.
  std::int32_t self() const { return p2p ? own : -1; }
  // When it was noticed that a collective had ended, after created_ns; -1: it was not.
  std::int32_t ended_us() const { return p2p ? -1 : own; }
};
static_assert(sizeof(Op) == 32 && MAX_GROUPS <= UINT16_MAX);

}  // namespace faultline::flight_recorder
