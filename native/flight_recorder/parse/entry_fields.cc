// What the keys of a dump mean: which belong to an entry and which to the top level, and where each value goes.
#include "flight_recorder/parse/entry_fields.h"

#include <charconv>

namespace faultline::flight_recorder {
std::optional<std::int64_t> integer_in_text(const Tables& tables, Value value) {
  if (!value.is(Value::Tag::string)) return std::nullopt;
  const std::string_view text = tables.text(value.index());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_entry_key(std::uint32_t key) {
  switch (static_cast<Name>(key)) {
    case Name::record_id:
    case Name::seq_id:
    case Name::collective_seq_id:
    case Name::profiling_name:
    case Name::time_created_ns: return true;
    default: return false;
  }
}

bool is_top_key(std::uint32_t key) {
  switch (static_cast<Name>(key)) {
    case Name::version:
    case Name::pg_config:
    case Name::pg_status:
    case Name::entries:
    case Name::nccl_version:
    case Name::comm_lib_version:
    case Name::schema:
    case Name::job:
    case Name::host:
    case Name::summary: return true;
    default: return false;
  }
}

}  // namespace faultline::flight_recorder
