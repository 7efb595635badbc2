// The stack that both readers build a dump on: containers close into tables that keep equal ones once.
#include "flight_recorder/parse/builder.h"

#include "flight_recorder/limits.h"
#include "flight_recorder/parse/entry_fields.h"

namespace faultline::flight_recorder {

Builder::Builder(Dump& dump)
    : dump_(dump), stack_(dump.budget), marks_(dump.budget), objects_(dump.budget),
      pool_(dump.budget) {}

bool Builder::text(std::string_view text) {
  const std::uint32_t id = dump_.tables.string(text);
  return id == Tables::NONE ? spent() : push(Value::string(id));
}

bool Builder::mark() {
  if (marks_.size() >= MAX_DEPTH) return refuse("containers are nested too deeply");
  return marks_.push(static_cast<std::uint32_t>(stack_.size())) || spent();
}

bool Builder::open(Kind kind) {
  Object object;
  object.kind = kind;
  if (!objects_.push(object)) return spent();
  return push(Value::object(static_cast<std::uint32_t>(objects_.size() - 1)));
}

bool Builder::above_mark(std::size_t& from) {
  if (marks_.empty()) return refuse("no mark on the stack");
  from = taken_mark_ = marks_.back();
  marks_.pop();
  return from <= stack_.size() || refuse("the stack fell below its mark");
}

bool Builder::append_one() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < floor + 2) return refuse("nothing to append to");
  const std::size_t from = stack_.size() - 1;
  return append(stack_[from - 1], from);
}

// An entry right before APPENDS gets no more pairs, whether or not there is a list for it: the short way goes by the same.
void Builder::close_top_entry() {
  if (stack_.empty() || !stack_.back().is(Value::Tag::object)) return;
  if (!marks_.empty() && marks_.back() == stack_.size()) return;  // nothing is appended to it
  Object& object = objects_[stack_.back().index()];
  if (object.kind == Kind::row) object.shared = true;
}

bool Builder::append_marked() {
  close_top_entry();
  std::size_t from = 0;
  if (!above_mark(from)) return false;
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (from < floor + 1) return refuse("nothing to append to");
  if (from == stack_.size()) return true;  // CPython does not look at what nothing is appended to
  return append(stack_[from - 1], from);
}

bool Builder::set_one() {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < floor + 3) return refuse("nothing to set a pair in");
  const std::size_t from = stack_.size() - 2;
  return set(stack_[from - 1], from);
}

bool Builder::set_marked() {
  std::size_t from = 0;
  if (!above_mark(from)) return false;
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (from < floor + 1) return refuse("nothing to set a pair in");
  if (from == stack_.size()) return true;
  return set(stack_[from - 1], from);
}

bool Builder::list_marked() {
  std::size_t from = 0;
  unsigned depth = 0;
  if (!above_mark(from)) return false;
  if (!close_range(from, depth)) return false;
  Object object;
  const bool rows = stack_.size() > from && stack_[from].is(Value::Tag::row);
  object.kind = rows ? Kind::rows : Kind::list;
  object.depth = static_cast<std::uint8_t>(depth + 1);
  if (!rows && !keep(object, from)) return false;
  shrink(from);
  if (!objects_.push(object)) return spent();
  return push(Value::object(static_cast<std::uint32_t>(objects_.size() - 1)));
}

bool Builder::dict_marked() {
  std::size_t from = 0;
  if (!above_mark(from)) return false;
  // As EMPTY_DICT, MARK, pairs, SETITEMS would have been: the dict goes in below its pairs.
  if (!open(Kind::dict)) return false;
  const Value dict = stack_.back();
  for (std::size_t at = stack_.size() - 1; at > from; --at) stack_[at] = stack_[at - 1];
  stack_[from] = dict;
  return set(dict, from + 1);
}

bool Builder::tuple(unsigned count) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < floor + count) return refuse("too few values for a tuple");
  return tuple_from(stack_.size() - count);
}

bool Builder::tuple_marked() {
  std::size_t from = 0;
  return above_mark(from) && tuple_from(from);
}

bool Builder::tuple_from(std::size_t from) {
  unsigned depth = 0;
  if (!close_range(from, depth)) return false;
  const std::uint32_t id = dump_.tables.sequence(stack_.data() + from, stack_.size() - from, depth + 1);
  if (id == Tables::NONE) return spent();
  shrink(from);
  return push(Value::sequence(id));
}

bool Builder::memo_put(std::uint64_t id) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) return refuse("nothing to keep in the memo");
  if (id >= MAX_MEMO || id > dump_.memo.size() + MEMO_SLACK) return refuse("memo number out of order");
  while (dump_.memo.size() <= id) {
    if (!dump_.memo.push(Value::of(Value::Special::rows))) return spent();  // no value of the stack: an empty slot
  }
  const Value value = stack_.back();
  if (!dump_.memo[id].is(Value::Special::rows)) {
    if (!settle_frames()) return spent();
    ++memo_changes_;
  }
  dump_.memo[id] = value;
  if (value.is(Value::Tag::object)) memo_floor_ = std::max(memo_floor_, value.index() + 1);
  return true;
}

bool Builder::memo_get(std::uint64_t id) {
  if (id >= dump_.memo.size() || dump_.memo[id].is(Value::Special::rows)) return refuse("memo slot was never filled");
  const Value value = dump_.memo[id];
  if (value.is(Value::Tag::object)) objects_[value.index()].shared = true;
  return push(value);
}

bool Builder::peek_object(std::uint64_t id, Value& value) {
  unsigned depth = 0;
  if (!close(value, value, depth) || depth + 2 >= MAX_DEPTH) return false;
  // Whoever asks next need not go by the object, which may not change any more.
  if (!value.is(Value::Special::rows)) dump_.memo[id] = value;
  return true;
}

// A slot is about to mean something else: lists that were stepped over are read while they mean what they did.
bool Builder::settle_frames() {
  if (!dump_.frames_on_demand) return true;
  dump_.frames_on_demand = false;
  for (std::size_t i = 0; i < dump_.rows.size(); ++i) {
    Row& row = dump_.rows[i];
    if (row.frames == UINT32_MAX || (row.frames & STEPPED_OVER) == 0) continue;
    const std::vector<Value> frames = dump_.frames(row.frames);
    row.frames = dump_.tables.sequence(frames.data(), frames.size(), 3);
    if (row.frames == Tables::NONE) return false;
  }
  return true;
}

bool Builder::close(Value value, Value& closed, unsigned& depth) {
  closed = value;
  if (value.is(Value::Tag::sequence) || value.is(Value::Tag::mapping)) {
    depth = std::max(depth, dump_.tables.depth(value.index()));
  }
  if (!value.is(Value::Tag::object)) return true;
  Object& object = objects_[value.index()];
  object.shared = true;
  depth = std::max<unsigned>(depth, object.depth);
  if (object.kind == Kind::row) return closed = Value::row(object.at), true;
  if (object.kind == Kind::rows) return closed = Value::of(Value::Special::rows), true;
  if (object.room > 0 || object.at == UINT32_MAX) {
    const std::uint32_t kept = dump_.tables.sequence(pool_.data() + (object.room > 0 ? object.at : 0), object.length, object.depth);
    if (kept == Tables::NONE) return spent();
    object.at = kept;
    object.room = 0;
  }
  closed = object.kind == Kind::dict ? Value::mapping(object.at) : Value::sequence(object.at);
  return true;
}

bool Builder::close_range(std::size_t from, unsigned& depth) {
  for (std::size_t at = from; at < stack_.size(); ++at) {
    if (!close(stack_[at], stack_[at], depth)) return false;
  }
  return depth < MAX_DEPTH || refuse("containers are nested too deeply");
}

bool Builder::keep(Object& object, std::size_t from) {
  const std::size_t count = stack_.size() - from;
  const std::size_t length = object.length + count;
  if (count == 0) return true;
  if (object.at == UINT32_MAX) {
    object.at = dump_.tables.sequence(stack_.data() + from, count, object.depth);
    if (object.at == Tables::NONE) return spent();
    object.length = static_cast<std::uint32_t>(length);
    return true;
  }
  if (length > object.room) {
    const std::size_t room = std::max<std::size_t>(16, length * 2);
    const std::size_t start = pool_.size();
    if (start + room > UINT32_MAX || !pool_.resize(start + room)) return spent();
    const Value* old = object.room > 0 ? pool_.data() + object.at : dump_.tables.values(object.at).data();
    std::copy(old, old + object.length, pool_.data() + start);
    object.at = static_cast<std::uint32_t>(start);
    object.room = static_cast<std::uint32_t>(room);
  }
  std::copy(stack_.data() + from, stack_.data() + stack_.size(), pool_.data() + object.at + object.length);
  object.length = static_cast<std::uint32_t>(length);
  return true;
}

bool Builder::append(Value list, std::size_t from) {
  if (!list.is(Value::Tag::object)) return refuse("append to something that is not a list");
  Object& object = objects_[list.index()];
  if (object.kind != Kind::list && object.kind != Kind::rows) return refuse("append to something that is not a list");
  if (object.shared) return refuse("a container changed after it was used");
  unsigned depth = 0;
  if (!close_range(from, depth)) return false;
  object.depth = static_cast<std::uint8_t>(std::max<unsigned>(object.depth, depth + 1));
  if (stack_.size() > from && stack_[from].is(Value::Tag::row) && object.length == 0) object.kind = Kind::rows;
  if (object.kind == Kind::list && !keep(object, from)) return false;
  shrink(from);
  forget(list.index());
  return true;
}

bool Builder::set(Value dict, std::size_t from) {
  if (!dict.is(Value::Tag::object)) return refuse("pairs for something that is not a dict");
  Object& object = objects_[dict.index()];
  if (object.kind != Kind::dict && object.kind != Kind::row) return refuse("pairs for something that is not a dict");
  if (object.shared) return refuse("a container changed after it was used");
  if ((stack_.size() - from) % 2 != 0) return refuse("a key without a value");
  unsigned depth = 0;
  bool entry = object.kind == Kind::row;
  for (std::size_t at = from; at < stack_.size(); at += 2) {
    if (stack_[at].is_integer() && !number_as_key(stack_[at])) return spent();
    if (!stack_[at].is(Value::Tag::string)) return refuse("a key that is not a text");
    if (!close(stack_[at + 1], stack_[at + 1], depth)) return false;
    entry = entry || is_entry_key(stack_[at].index());
  }
  if (depth >= MAX_DEPTH) return refuse("containers are nested too deeply");
  object.depth = static_cast<std::uint8_t>(std::max<unsigned>(object.depth, depth + 1));
  if (!entry) {
    if (!keep(object, from)) return false;
  } else {
    if (object.kind == Kind::dict) {
      Row* row = dump_.rows.add();
      if (row == nullptr) return spent();
      const Value* kept = object.room > 0 ? pool_.data() + object.at
                          : object.length > 0 ? dump_.tables.values(object.at).data() : nullptr;
      for (std::uint32_t at = 0; at + 1 < object.length; at += 2) apply(*row, kept[at].index(), kept[at + 1]);
      object.kind = Kind::row;
      object.at = static_cast<std::uint32_t>(dump_.rows.size() - 1);
      object.room = 0;
      object.length = 0;
    }
    Row& row = dump_.rows[object.at];
    for (std::size_t at = from; at < stack_.size(); at += 2) apply(row, stack_[at].index(), stack_[at + 1]);
  }
  shrink(from);
  forget(dict.index());
  return true;
}

// Format 1.2 has local numbers as keys, where later ones have them as text.
bool Builder::number_as_key(Value& key) {
  const std::string digits = std::to_string(key.integer());
  char* const room = dump_.tables.room(digits.size());
  if (room == nullptr) return false;
  std::copy(digits.begin(), digits.end(), room);
  const std::uint32_t id = dump_.tables.string({room, digits.size()});
  key = Value::string(id);
  return id != Tables::NONE;
}

void Builder::apply(Row& row, std::uint32_t key, Value value) {
  if (!set_entry_field(dump_, row, key, value)) ++dump_.unknown_keys;
}

// What was opened after `parent` is part of it by now; what the memo does not hold can no longer be reached.
void Builder::forget(std::uint32_t parent) { objects_.shrink(std::max(parent + 1, memo_floor_)); }

void Builder::take_top(std::span<const Value> pairs) {
  for (std::size_t at = 0; at + 1 < pairs.size(); at += 2) {
    if (!pairs[at].is(Value::Tag::string)) continue;
    const std::uint32_t key = pairs[at].index();
    if (key == static_cast<std::uint32_t>(Name::entries)) {
      dump_.entries_listed = pairs[at + 1].is(Value::Special::rows) || pairs[at + 1].is(Value::Tag::sequence);
    } else if (!is_top_key(key)) {
      ++dump_.unknown_keys;
      continue;
    }
    const auto same = std::find_if(dump_.top.begin(), dump_.top.end(), [&](const auto& pair) { return pair.first == key; });
    if (same == dump_.top.end()) dump_.top.emplace_back(key, pairs[at + 1]);
    else same->second = pairs[at + 1];  // the last counts
  }
}

bool Builder::finish() {
  if (stack_.size() != 1 || !marks_.empty()) return refuse("more or less than one value is left at the end");
  Value closed;
  unsigned depth = 0;
  if (!close(stack_[0], closed, depth)) return false;
  if (closed.is(Value::Tag::mapping)) take_top(dump_.tables.values(closed.index()));
  return true;
}

// An entry that pairs could still have come for: it is on the stack, and above it is nothing, a mark or a key.
bool Builder::is_open_row(std::size_t at) const {
  if (!stack_[at].is(Value::Tag::object)) return false;
  const Object& object = objects_[stack_[at].index()];
  if (object.kind != Kind::row || object.shared) return false;
  if (at + 1 == stack_.size() || stack_[at + 1].is(Value::Tag::string)) return true;
  for (std::size_t mark = 0; mark < marks_.size(); ++mark) {
    if (marks_[mark] == at + 1) return true;
  }
  return taken_mark_ == at + 1;
}

void Builder::salvage() {
  dump_.truncated = true;
  // Whole entries only; what was opened after one that is not whole is part of it.
  for (std::size_t at = 0; at < stack_.size(); ++at) {
    if (!is_open_row(at)) continue;
    for (const std::size_t whole = objects_[stack_[at].index()].at; dump_.rows.size() > whole;) dump_.rows.drop_last();
    break;
  }
  if (stack_.empty() || !stack_[0].is(Value::Tag::object)) return;
  if (objects_[stack_[0].index()].kind != Kind::dict) return;
  // A container below the first that may still have been empty, whatever should have come into it.
  if (marks_.size() == 2 && stack_.size() > marks_[1] && stack_.back().is(Value::Tag::object) && !objects_[stack_.back().index()].shared) stack_.pop();
  if (marks_.size() >= 2) {
    // A dict of the top level that was still open: its finished pairs.
    const std::size_t from = marks_[1];
    std::size_t end = marks_.size() > 2 ? marks_[2] - 1 : stack_.size();
    if (from <= end && end <= stack_.size()) {
      end -= (end - from) % 2;
      stack_.shrink(end);
      if (from >= 1 && stack_[from - 1].is(Value::Tag::object) &&
          objects_[stack_[from - 1].index()].kind == Kind::dict) {
        const std::size_t whole = dump_.rows.size();
        set(stack_[from - 1], from);
        while (dump_.rows.size() > whole) dump_.rows.drop_last();  // half an entry is none
      }
      stack_.shrink(std::min<std::size_t>(from, stack_.size()));
    }
  }
  Value closed;
  unsigned depth = 0;
  for (std::size_t at = 0; at < stack_.size(); ++at) {
    if (!close(stack_[at], closed, depth)) return;
    stack_[at] = closed;
  }
  if (stack_[0].is(Value::Tag::mapping)) take_top(dump_.tables.values(stack_[0].index()));
  if (!marks_.empty() && marks_[0] == 1) take_top({stack_.data() + 1, stack_.size() - 1});
}

}  // namespace faultline::flight_recorder
