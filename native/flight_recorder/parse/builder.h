// The stack that both readers, pickle and JSON, build a dump on; containers close into the dump's tables and rows.
#pragma once

#include <cstdint>

#include "flight_recorder/parse/dump.h"

namespace faultline::flight_recorder {

// Every call answers false when the input is refused; `why()` then says it.
class Builder {
 public:
  explicit Builder(Dump& dump);

  bool push(Value value) { return stack_.push(value) || spent(); }
  bool text(std::string_view text);
  bool mark();
  bool open_list() { return open(Kind::list); }
  bool open_dict() { return open(Kind::dict); }
  bool append_one();     // list, item
  bool append_marked();  // list, mark, items
  bool set_one();        // dict, key, value
  bool set_marked();     // dict, mark, keys and values
  bool list_marked();    // mark, items
  bool dict_marked();    // mark, keys and values
  bool tuple(unsigned count);
  bool tuple_marked();
  bool memo_put(std::uint64_t id);
  bool memoize() { return memo_put(dump_.memo.size()); }
  bool memo_get(std::uint64_t id);

  // Where an entry goes that the reader sets by itself, null when the budget is spent; and that it was written there, whole: nothing can reach into
  // it any more.
  Row* next_entry() { return dump_.rows.spare(); }
  bool add_entry() {
    dump_.rows.add_next();
    return push(Value::row(static_cast<std::uint32_t>(dump_.rows.size() - 1)));
  }
  // The first entry shows what the rest will be like.
  bool had_entry() const { return dump_.rows.size() > 0; }
  // What a memo slot holds as a closed value; false when there is none that can be had without a refusal.
  bool peek_memo(std::uint64_t id, Value& value) {
    if (id >= dump_.memo.size()) return false;
    value = dump_.memo[id];
    return value.is(Value::Tag::object) ? peek_object(id, value) : !value.is(Value::Special::rows);
  }
  // Grows whenever a slot that was filled is filled again.
  std::uint32_t memo_changes() const { return memo_changes_; }

  // The one value that is left becomes the dump's top level.
  bool finish();
  // The input ended early: takes what had been closed.
  void salvage();

  const char* why() const { return why_; }

 private:
  enum class Kind : std::uint8_t { list, dict, row, rows };
  struct Object {
    std::uint32_t at = UINT32_MAX;  // offset in pool, number of the closed form, or row
    std::uint32_t length = 0;
    std::uint32_t room = 0;  // of the pool; 0: `at` is the closed form
    Kind kind = Kind::list;
    std::uint8_t depth = 1;
    bool shared = false;  // taken from the memo, or part of another container: may not change any more
  };

  bool refuse(const char* why) {
    why_ = why;
    return false;
  }
  bool spent() { return refuse("needs more memory than a dump of this size may"); }
  bool open(Kind kind);
  // Splits the stack at the last mark: `from` is the first item above it.
  bool above_mark(std::size_t& from);
  // What a call took is gone from the stack: it did not fail.
  void shrink(std::size_t from) {
    stack_.shrink(from);
    taken_mark_ = NO_MARK;
  }
  void close_top_entry();
  bool append(Value list, std::size_t from);
  bool set(Value dict, std::size_t from);
  bool keep(Object& object, std::size_t from);
  // The closed form of a value, which from then on may not change.
  bool close(Value value, Value& closed, unsigned& depth);
  bool close_range(std::size_t from, unsigned& depth);
  bool tuple_from(std::size_t from);
  void take_top(std::span<const Value> pairs);
  bool number_as_key(Value& key);
  void apply(Row& row, std::uint32_t key, Value value);
  void forget(std::uint32_t parent);
  bool peek_object(std::uint64_t id, Value& value);
  bool settle_frames();
  bool is_open_row(std::size_t at) const;

  Dump& dump_;
  Growing<Value> stack_;
  Growing<std::uint32_t> marks_;
  Growing<Object> objects_;
  Growing<Value> pool_;
  static constexpr std::size_t NO_MARK = SIZE_MAX;
  std::size_t taken_mark_ = NO_MARK;  // by a call that has not succeeded
  std::uint32_t memo_changes_ = 0;
  std::uint32_t memo_floor_ = 0;  // objects below it are in the memo
  const char* why_ = "";
};

}  // namespace faultline::flight_recorder
