// The short way for entries in c10's own form. Opcodes as in pickle.cc.
#include "flight_recorder/parse/entry_reader.h"

#include <bit>
#include <cstring>

#include "flight_recorder/parse/entry_fields.h"

namespace faultline::flight_recorder {
namespace {

// The last eight bytes of a list, or all of a shorter one; eight bytes can be read at `bytes`.
std::uint64_t tail_of(const unsigned char* bytes, std::size_t length) {
  std::uint64_t word = 0;
  std::memcpy(&word, length < 8 ? bytes : bytes + length - 8, sizeof word);
  if (length >= 8) return word;
  constexpr bool LITTLE = std::endian::native == std::endian::little;
  return LITTLE ? word & ((std::uint64_t{1} << (8 * length)) - 1) : word >> (8 * (8 - length));
}

}  // namespace

[[gnu::always_inline]] inline bool EntryReader::scalar(std::size_t& at, Value& value) {
  if (bytes_.size() - at < 11) return false;  // the longest below, and the next opcode
  const unsigned char* byte = bytes_.data() + at;
  switch (*byte) {
    case 'h':
      at += 2;
      return builder_.peek_memo(byte[1], value);
    case 'j': {
      at += 5;
      const std::uint32_t id = byte[1] | byte[2] << 8 | byte[3] << 16 | std::uint32_t{byte[4]} << 24;
      return builder_.peek_memo(id, value);
    }
    case 'K':
      at += 2;
      value = Value::integer(byte[1]);
      return true;
    case 'M':
      at += 3;
      value = Value::integer(byte[1] | byte[2] << 8);
      return true;
    case 'J':
      at += 5;
      value = Value::integer(static_cast<std::int32_t>(byte[1] | byte[2] << 8 | byte[3] << 16 | std::uint32_t{byte[4]} << 24));
      return true;
    case 0x8a: {
      if (byte[1] != 8) return false;
      std::uint64_t bits = 0;
      for (int i = 0; i < 8; ++i) bits |= std::uint64_t{byte[2 + i]} << (8 * i);
      at += 10;
      value = Value::integer(static_cast<std::int64_t>(bits));
      return true;
    }
    case 'N':
      ++at;
      value = Value::of(Value::Special::none);
      return true;
    case 0x88:
    case 0x89:
      ++at;
      value = Value::truth(*byte == 0x88);
      return true;
    default: return false;
  }
}

[[gnu::always_inline]] inline bool EntryReader::take_list(Hole hole, const unsigned char*& here, std::uint32_t& list) {
  auto next = static_cast<std::size_t>(here - bytes_.data());
  const bool taken = hole != Hole::frames          ? this->list(next, Lists::sizes, list)
                     : dump_.frames_on_demand ? step_over(next, list)
                                              : this->list(next, Lists::frames, list);
  here = bytes_.data() + next;
  return taken;
}

// Entries of known patterns, one after the other. True when there was one: `at` is after the last.
bool EntryReader::known(std::size_t& at) {
  const unsigned char* const data = bytes_.data();
  const unsigned char* const end = data + bytes_.size();
  const auto lists = [this](Hole hole, const unsigned char*& here, std::uint32_t& list) { return take_list(hole, here, list); };
  bool any = false;
  Row* row = builder_.next_entry();
  const auto match = [&](const unsigned char*& here) {
    if (fixed_.match(here, end, *row, lists)) return true;
    const unsigned char* const from = here;
    if (!patterns_.match(here, end, *row, lists)) return false;
    fixed_.note(patterns_.matched(), from, here, *row, lists);
    return true;
  };
  for (const unsigned char* here = data + at; row != nullptr && match(here); row = builder_.next_entry()) {
    // Only before these can nothing reach into the entry any more.
    if ((*here != '}' && *here != 'e') || !builder_.add_entry()) break;
    any = true;
    at = static_cast<std::size_t>(here - data);
    if (*here != '}' || end - here < 2 || here[1] != '(') break;
    ++here;
  }
  return any;
}

bool EntryReader::read(std::size_t& at) {
  if (!builder_.had_entry() || at >= bytes_.size() || bytes_[at] != '(') return false;
  if (changes_ != builder_.memo_changes()) {
    for (ListCache& lists : lists_) lists.forget();
    expected_ = {};
    patterns_.clear();
    fixed_.clear();
    changes_ = builder_.memo_changes();
  }
  if (known(at)) return true;
  std::size_t next = at + 1;
  Name first{};
  if (!key(next, first) || (first != Name::frames && first != Name::record_id)) return false;
  // Written where it will stand, and counted only when all of it was read: at anything else the stack has it from the start.
  Row* const row = builder_.next_entry();
  if (row == nullptr) return false;
  *row = Row();
  pattern_.clear(bytes_.data() + at);
  next = at + 1;
  for (std::size_t place = 0; next + 1 < bytes_.size(); ++place) {
    if (bytes_[next] != 'u') {
      if (!pair(next, *row, place)) break;
      continue;
    }
    ++next;
    // Only before these can nothing reach into the entry any more.
    if (bytes_[next] != '}' && bytes_[next] != 'e') break;
    // Without a key that only entries have it is a dict like any other.
    if (row->record_id < 0 && row->collective_seq < 0 && row->profiling_name == 0 && row->created_ns == 0) break;
    pattern_.finish(bytes_.data() + next, *row);
    if (!builder_.add_entry()) return false;
    note_pattern(at);
    at = next;
    return true;
  }
  pattern_.refuse();
  note_pattern(at);
  return false;
}

// Of the entry that begins at `at`.
void EntryReader::note_pattern(std::size_t at) {
  const auto lists = [this](Hole hole, const unsigned char*& here, std::uint32_t& list) { return take_list(hole, here, list); };
  patterns_.note(pattern_, bytes_.data() + at, bytes_.data() + bytes_.size(), lists);
}

// What of a pair changes from entry to entry: its value if it is of the usual form.
void EntryReader::note(Name name, std::size_t from, std::size_t to) {
  const auto of = [this, name]() {
    switch (name) {
      case Name::record_id: return Hole::record_id;
      case Name::collective_seq_id: return Hole::collective_seq;
      case Name::p2p_seq_id: return Hole::p2p_seq;
      case Name::op_id: return Hole::op_id;
      case Name::time_created_ns: return Hole::created;
      case Name::time_discovered_started_ns: return Hole::started;
      case Name::time_discovered_completed_ns: return Hole::completed;
      case Name::duration_ms: return Hole::real;
      case Name::frames: return Hole::frames;
      case Name::input_sizes: return patterns_.sizes_change() ? Hole::input_sizes : Hole::count;
      case Name::output_sizes: return patterns_.sizes_change() ? Hole::output_sizes : Hole::count;
      default: return Hole::count;
    }
  };
  const Hole hole = of();
  if (hole == Hole::count) return;
  const unsigned char form = bytes_[from];
  const bool number = form == 'K' || form == 'M' || form == 'J' || form == 0x8a || (form == 'N' && hole >= Hole::created);
  if (hole >= Hole::frames ? form == ']' : hole == Hole::real ? form == 'G' : number) {
    pattern_.hole(hole, bytes_.data() + from, bytes_.data() + to);
  } else {
    pattern_.constant(hole);
  }
}

// A list of frames that were all seen before: its place is enough.
bool EntryReader::step_over(std::size_t& at, std::uint32_t& list) {
  const auto start = static_cast<std::uint32_t>(at);
  if (!lists_[static_cast<std::size_t>(Lists::stepped_over)].find(bytes_, at) && !step_over_new(at)) return false;
  list = STEPPED_OVER | start;
  return true;
}

bool EntryReader::step_over_new(std::size_t& at) {
  const std::size_t size = bytes_.size();
  if (size - at < 3 || bytes_[at] != ']' || bytes_[at + 1] != '(') return false;
  Value value;
  std::size_t next = at + 2;
  while (size - next > 5) {
    const unsigned char* byte = bytes_.data() + next;
    std::uint32_t id = byte[1];
    if (*byte == 'e') {
      lists_[static_cast<std::size_t>(Lists::stepped_over)].keep(at, next + 1, 0);
      at = next + 1;
      return true;
    }
    if (*byte == 'j') id |= byte[2] << 8 | byte[3] << 16 | std::uint32_t{byte[4]} << 24;
    else if (*byte != 'h') return false;
    if (!builder_.peek_memo(id, value) || value.is(Value::Tag::row) || value.is(Value::Special::rows)) return false;
    next += *byte == 'h' ? 2 : 5;
  }
  return false;
}

std::vector<Value> Dump::frames(std::uint32_t list) const {
  if ((list & STEPPED_OVER) == 0) {
    const std::span<const Value> values = tables.values(list);
    return {values.begin(), values.end()};
  }
  std::vector<Value> found;
  // As step_over found it: references to slots that are filled, up to APPENDS.
  for (const unsigned char* byte = bytes.data() + (list & ~STEPPED_OVER) + 2; *byte != 'e';) {
    std::uint32_t id = byte[1];
    if (*byte == 'j') id |= byte[2] << 8 | byte[3] << 16 | std::uint32_t{byte[4]} << 24;
    found.push_back(memo[id]);
    byte += *byte == 'h' ? 2 : 5;
  }
  return found;
}

bool EntryReader::key(std::size_t& at, Name& name) {
  Value value;
  if (!scalar(at, value) || !value.is(Value::Tag::string)) return false;
  name = static_cast<Name>(value.index());
  return value.index() < static_cast<std::uint32_t>(Name::count);
}

[[gnu::always_inline]] inline bool EntryReader::expected_key(std::size_t& at, Name& name, std::size_t place) {
  if (place >= expected_.size() || bytes_.size() - at < 8) return key(at, name);
  Expected& expected = expected_[place];
  const unsigned char* here = bytes_.data() + at;
  if (expected.length != 0 && tail_of(here, expected.length) == expected.bytes) {
    at += expected.length;
    name = expected.name;
    return true;
  }
  if (!key(at, name)) return false;
  const auto length = static_cast<std::uint32_t>(bytes_.data() + at - here);
  expected = {tail_of(here, length), length, name};
  return true;
}

// The four ways in which recorders write integers; false, and nothing taken, for anything else.
[[gnu::always_inline]] inline bool EntryReader::integer(std::size_t& at, std::int64_t& value) {
  if (bytes_.size() - at < 11) return false;
  const unsigned char* byte = bytes_.data() + at;
  if (*byte == 'K') return value = byte[1], at += 2, true;
  if (*byte == 'M') return value = byte[1] | byte[2] << 8, at += 3, true;
  Value wide;
  if ((*byte != 'J' && *byte != 0x8a) || !scalar(at, wide) || !wide.is_integer()) return false;
  value = wide.integer();
  return true;
}

// Advances only when the whole pair was taken.
bool EntryReader::pair(std::size_t& at, Row& row, std::size_t place) {
  std::size_t next = at;
  Name name{};
  if (!expected_key(next, name, place)) return false;
  Value value;
  const std::size_t start = next;
  bool taken = false;
  switch (name) {
    case Name::record_id: taken = integer(next, row.record_id); break;
    case Name::pg_id: taken = integer(next, row.pg_id); break;
    case Name::collective_seq_id: taken = integer(next, row.collective_seq); break;
    case Name::p2p_seq_id: taken = integer(next, row.p2p_seq); break;
    case Name::op_id: taken = integer(next, row.op_id); break;
    case Name::process_group: taken = names(next, row); break;
    case Name::retired:
    case Name::is_p2p:
      taken = bytes_.size() - next > 1 && (bytes_[next] == 0x88 || bytes_[next] == 0x89);
      if (taken) (name == Name::retired ? row.retired : row.is_p2p) = bytes_[next++] == 0x88;
      break;
    case Name::duration_ms:
      taken = bytes_.size() - next > 9 && bytes_[next] == 'G';
      if (taken) next += 9;
      break;
    case Name::frames:
      taken = dump_.frames_on_demand && step_over(next, row.frames);
      if (!taken) taken = list(next, Lists::frames, row.frames);
      break;
    case Name::input_sizes: taken = list(next, Lists::sizes, row.input_sizes); break;
    case Name::output_sizes: taken = list(next, Lists::sizes, row.output_sizes); break;
    case Name::input_dtypes: taken = list(next, Lists::types, row.input_dtypes); break;
    case Name::output_dtypes: taken = list(next, Lists::types, row.output_dtypes); break;
    default: break;
  }
  if (!taken && !rest(start, next, name, row)) return false;
  note(name, start, next);
  at = next;
  return true;
}

// What is not a list and comes in other forms than the usual.
bool EntryReader::rest(std::size_t at, std::size_t& next, Name name, Row& row) {
  Value value;
  if (name == Name::process_group || !scalar(at, value)) return false;
  if (!set_entry_field(dump_, row, static_cast<std::uint32_t>(name), value)) return false;
  next = at;
  return true;
}

bool EntryReader::names(std::size_t& at, Row& row) {
  Value name, desc;
  if (!scalar(at, name) || !scalar(at, desc) || bytes_[at] != 0x86) return false;
  if (!name.is(Value::Tag::string) || !desc.is(Value::Tag::string)) return false;
  ++at;
  row.pg_name = name.index();
  row.pg_desc = desc.index();
  return true;
}

// `list` stays as it is where this is none.
[[gnu::always_inline]] inline bool EntryReader::list(std::size_t& at, Lists of, std::uint32_t& list) {
  ListCache& known = lists_[static_cast<std::size_t>(of)];
  if (const std::optional<std::uint32_t> found = known.find(bytes_, at)) {
    list = *found;
    return true;
  }
  const std::size_t from = at;
  Value value;
  if (!(of == Lists::sizes && sizes(at, value)) && !items(at, 0, value)) return false;
  list = value.index();
  known.keep(from, at, list);
  return true;
}

// A list of lists of numbers, as sizes mostly are; advances only where all of it is.
bool EntryReader::sizes(std::size_t& at, Value& value) {
  constexpr std::size_t LONGEST = 11;  // of a number and what closes both lists
  const unsigned char* here = bytes_.data() + at;
  const unsigned char* const end = bytes_.data() + bytes_.size();
  if (static_cast<std::size_t>(end - here) < LONGEST || here[0] != ']' || here[1] != '(') return false;
  here += 2;
  std::size_t shapes = 0;
  while (static_cast<std::size_t>(end - here) >= LONGEST && *here != 'e') {
    if (here[0] != ']' || here[1] != '(' || shapes == MAX_ITEMS) return false;
    here += 2;
    std::size_t count = 0;
    while (static_cast<std::size_t>(end - here) >= LONGEST && *here != 'e') {
      std::int64_t number = 0;
      if (count == MAX_ITEMS || !Pattern::number(here, number, false)) return false;
      items_[1][count++] = Value::integer(number);
    }
    if (static_cast<std::size_t>(end - here) < LONGEST) return false;
    ++here;
    const std::uint32_t id = dump_.tables.sequence_often_new(items_[1].data(), count, 1);
    if (id == Tables::NONE) return false;
    items_[0][shapes++] = Value::sequence(id);
  }
  if (static_cast<std::size_t>(end - here) < LONGEST) return false;
  const std::uint32_t id = dump_.tables.sequence_often_new(items_[0].data(), shapes, shapes == 0 ? 1 : 2);
  if (id == Tables::NONE) return false;
  value = Value::sequence(id);
  at = static_cast<std::size_t>(here + 1 - bytes_.data());
  return true;
}

bool EntryReader::items(std::size_t& at, unsigned depth, Value& value) {
  if (bytes_.size() - at < 3 || bytes_[at] != ']' || bytes_[at + 1] != '(') return false;
  at += 2;
  std::array<Value, MAX_ITEMS>& found = items_[depth];
  std::size_t count = 0;
  while (at < bytes_.size() && bytes_[at] != 'e') {
    if (count == MAX_ITEMS) return false;
    Value& item = found[count++];
    if (!(bytes_[at] == ']' && depth == 0 ? items(at, depth + 1, item) : scalar(at, item))) return false;
  }
  if (at >= bytes_.size()) return false;
  ++at;
  // An entry by memo is not an item of these lists.
  for (std::size_t i = 0; i < count; ++i) {
    if (found[i].is(Value::Tag::row) || found[i].is(Value::Special::rows)) return false;
  }
  unsigned deepest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (found[i].is(Value::Tag::sequence) || found[i].is(Value::Tag::mapping)) {
      deepest = std::max(deepest, dump_.tables.depth(found[i].index()));
    }
  }
  if (deepest > 8) return false;
  const std::uint32_t id = dump_.tables.sequence(found.data(), count, deepest + 1);
  if (id == Tables::NONE) return false;
  value = Value::sequence(id);
  return true;
}

}  // namespace faultline::flight_recorder
