// One rank's dump as columns: what the file said, before anything is made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flight_recorder/limits.h"
#include "flight_recorder/parse/budget.h"
#include "flight_recorder/parse/tables.h"
#include "flight_recorder/parse/value.h"

namespace faultline::flight_recorder {

// A list of frames that was stepped over: this bit and its offset in the file.
inline constexpr std::uint32_t STEPPED_OVER = std::uint32_t{1} << 31;
static_assert(MAX_FILE_BYTES < STEPPED_OVER);

// One recorded operation. Times are ns since the epoch, 0 when absent; -1 stands for an absent number.
struct Row {
  std::int64_t record_id = -1;
  std::int64_t pg_id = -1;
  std::int64_t collective_seq = -1;
  std::int64_t p2p_seq = -1;
  std::int64_t op_id = -1;
  std::int64_t created_ns = 0;
  std::int64_t completed_ns = 0;
  std::uint32_t pg_name = 0;
  std::uint32_t pg_desc = 0;
  std::uint32_t profiling_name = 0;
  std::uint32_t input_sizes = UINT32_MAX;  // numbers of sequences; UINT32_MAX when absent
  std::uint32_t output_sizes = UINT32_MAX;
  std::uint32_t input_dtypes = UINT32_MAX;
  std::uint32_t output_dtypes = UINT32_MAX;
  std::uint32_t frames = UINT32_MAX;  // or where they stand in the file, see Dump::frames
  std::uint32_t timeout_ms = 0;
  enum class State : std::uint8_t { unknown, scheduled, started, completed } state = State::unknown;
  bool retired = false;
  bool is_p2p = false;
  bool started_seen = false;  // time_discovered_started_ns was there
};

// What the join keeps of an entry, paid for with the entry itself.
inline constexpr std::size_t LATER_BYTES = 96;

// Why a file was refused: at which byte, at which opcode (-1 for JSON and whole files).
struct Rejection {
  std::uint64_t offset = 0;
  int opcode = -1;
  std::string why;
};

struct Dump {
  explicit Dump(std::size_t file_bytes)
      : file_size(file_bytes), budget(file_bytes * BUDGET_FACTOR + BUDGET_BASE), tables(budget), rows(budget, LATER_BYTES), memo(budget) {}

  const std::size_t file_size;
  Budget budget;
  Tables tables;
  Blocks<Row> rows;
  // Set before reading: lists of frames are stepped over, and read when `frames` asks for one entry's.
  bool frames_on_demand = false;
  std::span<const unsigned char> bytes;  // the pickle, while frames may be asked for
  Growing<Value> memo;                   // of the pickle; Special::rows where a slot is empty
  // Top-level pairs; containers are closed values.
  std::vector<std::pair<std::uint32_t, Value>> top;
  bool truncated = false;
  bool entries_listed = false;  // "entries" was a list
  std::uint32_t unknown_keys = 0;
  std::optional<Rejection> rejection;

  // The frames of a row that has some, innermost first.
  std::vector<Value> frames(std::uint32_t list) const;

  std::string_view text(std::uint32_t id) const { return tables.text(id); }
  // Value of the last pair with this key.
  std::optional<Value> find(std::uint32_t key) const {
    for (auto pair = top.rbegin(); pair != top.rend(); ++pair) {
      if (pair->first == key) return pair->second;
    }
    return std::nullopt;
  }
  std::optional<Value> find(Name key) const { return find(static_cast<std::uint32_t>(key)); }
  // Text of a string value, empty otherwise.
  std::string_view string(std::optional<Value> value) const {
    return value && value->is(Value::Tag::string) ? text(value->index()) : std::string_view();
  }
};

std::optional<std::int64_t> integer_in_text(const Tables& tables, Value value);

// An integer, or a text that is one.
inline std::optional<std::int64_t> integer_of(const Tables& tables, Value value) {
  if (value.is_integer()) return value.integer();
  return value.is(Value::Tag::string) ? integer_in_text(tables, value) : std::nullopt;
}

}  // namespace faultline::flight_recorder
