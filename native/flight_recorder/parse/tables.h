// Strings and closed containers of one dump, each kept once: equal ones have the same number.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "flight_recorder/parse/budget.h"
#include "flight_recorder/parse/value.h"

namespace faultline::flight_recorder {

// Names the reader knows by number; the order is that of KNOWN_NAMES in tables.cc.
enum class Name : std::uint32_t {
  empty, version, pg_config, pg_status, entries, nccl_version, comm_lib_version, name, desc, ranks, filename, line,
  last_enqueued_collective, last_started_collective, last_completed_collective, frames, record_id, pg_id,
  process_group, thread_name, thread_id, collective_seq_id, p2p_seq_id, op_id, profiling_name, time_created_ns,
  duration_ms, input_sizes, output_sizes, input_dtypes, output_dtypes, state, time_discovered_started_ns,
  time_discovered_completed_ns, retired, timeout_ms, is_p2p, scheduled, started, completed, schema, summary, job, host, seq_id, count,
};

class Tables {
 public:
  static constexpr std::uint32_t NONE = UINT32_MAX;

  explicit Tables(Budget& budget);

  // Number of this text, which must outlive the tables; NONE when the budget is spent.
  std::uint32_t string(std::string_view text);
  std::string_view text(std::uint32_t id) const { return {strings_[id].text, strings_[id].length}; }
  std::size_t strings() const { return strings_.size(); }

  // Number of this list of values; `depth` is its own nesting.
  std::uint32_t sequence(const Value* values, std::size_t count, unsigned depth);
  // The same for lists of which a dump may have a new one in each entry: while nearly all are new, equal ones may have two numbers.
  std::uint32_t sequence_often_new(const Value* values, std::size_t count, unsigned depth);
  std::span<const Value> values(std::uint32_t id) const {
    return {words_.data() + sequences_[id].offset, sequences_[id].length};
  }
  unsigned depth(std::uint32_t id) const { return sequences_[id].depth; }

  Value number(double value);
  double number(Value value) const { return numbers_[value.index()]; }

  // Keeps `size` bytes for a string that does not stand in the file as it is; null when the budget is spent.
  char* room(std::size_t size);

 private:
  struct Text {
    const char* text;
    std::uint32_t length;
    std::uint32_t hash;
  };
  // The hash is next to the number: most of what is met on the way is told apart without looking at it.
  struct Slot {
    std::uint32_t id;  // NONE: free
    std::uint32_t hash;
  };
  struct Sequence {
    std::uint32_t offset;
    std::uint32_t length;
    std::uint32_t hash;
    std::uint32_t depth;
  };

  std::uint32_t find_or_add(const Value* values, std::size_t count, unsigned depth, std::uint32_t hash);
  std::uint32_t add(const Value* values, std::size_t count, unsigned depth, std::uint32_t hash);
  // Of 1 in 16 lists it is known in all cases whether it is new, and of the same ones each time.
  static bool is_sample(std::uint32_t hash) { return hash >> 28 == 0; }
  static constexpr std::uint32_t MANY_NEW = 512, FOUND = 8;

  Budget& budget_;
  Growing<Text> strings_;
  Growing<Slot> string_slots_;
  Growing<Sequence> sequences_;
  Growing<Slot> sequence_slots_;
  std::size_t in_slots_ = 0;    // sequences
  std::uint32_t new_ = 0;       // of lists that are often new: one for each that was, less FOUND for each that was not
  Growing<Value> words_;
  Growing<double> numbers_;
  std::vector<std::unique_ptr<char[]>> rooms_;
};

}  // namespace faultline::flight_recorder
