// What the keys of a dump mean: which belong to an entry and which to the top level, and where each value goes.
#pragma once

#include <algorithm>

#include "flight_recorder/parse/dump.h"

namespace faultline::flight_recorder {

// True for keys that only an entry has.
bool is_entry_key(std::uint32_t key);
bool is_top_key(std::uint32_t key);
namespace fields {

inline std::int64_t integer_or(const Dump& dump, Value value, std::int64_t otherwise) {
  return integer_of(dump.tables, value).value_or(otherwise);
}

// Absent times are None in pickle and 0 in JSON.
inline std::int64_t time_of(const Dump& dump, Value value) {
  return std::max<std::int64_t>(0, integer_or(dump, value, 0));
}

inline std::uint32_t list_of(Value value) { return value.is(Value::Tag::sequence) ? value.index() : UINT32_MAX; }
// Hooks in Python write one type as a text where the recorder writes a list.
inline std::uint32_t types_of(Dump& dump, Value value) {
  return value.is(Value::Tag::string) ? dump.tables.sequence(&value, 1, 1) : list_of(value);
}
inline std::uint32_t text_of(Value value) { return value.is(Value::Tag::string) ? value.index() : 0; }

inline Row::State state_of(std::uint32_t text) {
  switch (static_cast<Name>(text)) {
    case Name::scheduled: return Row::State::scheduled;
    case Name::started: return Row::State::started;
    case Name::completed: return Row::State::completed;
    default: return Row::State::unknown;
  }
}

}  // namespace fields

// False for a key that entries do not have. Values of the wrong kind leave the field absent. In the header, since it
// runs twenty times an entry.
inline bool set_entry_field(Dump& dump, Row& row, std::uint32_t key, Value value) {
  using namespace fields;
  switch (static_cast<Name>(key)) {
    case Name::record_id: row.record_id = integer_or(dump, value, -1); return true;
    case Name::pg_id: row.pg_id = integer_or(dump, value, -1); return true;
    // Before 2.0 one number counted both.
    case Name::seq_id:
    case Name::collective_seq_id: row.collective_seq = integer_or(dump, value, -1); return true;
    case Name::p2p_seq_id: row.p2p_seq = integer_or(dump, value, -1); return true;
    case Name::op_id: row.op_id = integer_or(dump, value, -1); return true;
    case Name::profiling_name: row.profiling_name = text_of(value); return true;
    case Name::time_created_ns: row.created_ns = time_of(dump, value); return true;
    case Name::time_discovered_started_ns: row.started_seen = time_of(dump, value) > 0; return true;
    case Name::time_discovered_completed_ns: row.completed_ns = time_of(dump, value); return true;
    case Name::timeout_ms:
      row.timeout_ms = static_cast<std::uint32_t>(
          std::clamp<std::int64_t>(integer_or(dump, value, 0), 0, UINT32_MAX));
      return true;
    case Name::input_sizes: row.input_sizes = list_of(value); return true;
    case Name::output_sizes: row.output_sizes = list_of(value); return true;
    case Name::input_dtypes: row.input_dtypes = types_of(dump, value); return true;
    case Name::output_dtypes: row.output_dtypes = types_of(dump, value); return true;
    case Name::frames: row.frames = list_of(value); return true;
    case Name::state: row.state = state_of(text_of(value)); return true;
    case Name::retired: row.retired = value.is(Value::Special::yes); return true;
    case Name::is_p2p: row.is_p2p = value.is(Value::Special::yes); return true;
    case Name::process_group:
      if (value.is(Value::Tag::sequence)) {
        const auto parts = dump.tables.values(value.index());
        row.pg_name = parts.size() > 0 ? text_of(parts[0]) : 0;
        row.pg_desc = parts.size() > 1 ? text_of(parts[1]) : 0;
      }
      return true;
    case Name::thread_name:
    case Name::thread_id:
    case Name::duration_ms: return true;
    default: return false;
  }
}

}  // namespace faultline::flight_recorder
