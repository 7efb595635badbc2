// The short way for entries against the stack machine: both must read the same, whatever the entries hold.
#include <map>
#include <random>
#include <set>

#include "flight_recorder/analyse.h"
#include "test/check.h"
#include "test/flight_recorder_pickles.h"

using namespace faultline::flight_recorder;
using namespace pickles;

namespace {

// Strings by number from their second use on, as c10 writes them.
class Memo {
 public:
  std::string text(const std::string& value) {
    const auto [at, added] = ids_.try_emplace(value, static_cast<std::uint32_t>(ids_.size()));
    const std::string id = at->second < 256 ? std::string(1, static_cast<char>(at->second)) : little(at->second, 4);
    if (!added) return join({at->second < 256 ? "h" : "j", id});
    return join({pickles::text(value), at->second < 256 ? "q" : "r", id});
  }

 private:
  std::map<std::string, std::uint32_t> ids_;
};

std::string number_of(std::uint64_t bits, std::uint64_t form, std::uint64_t shift) {
  switch (form % 5) {
    case 0: return join({"K", little(bits, 1)});
    case 1: return join({"M", little(bits, 2)});
    case 2: return join({"J", little(bits, 4)});
    case 3: return join({"\x8a\x02", little(bits, 2)});
    default: return number(static_cast<std::int64_t>(bits) >> (shift % 4));
  }
}
std::string any_number(std::mt19937_64& random) {
  const std::uint64_t bits = random(), form = random();
  return number_of(bits, form, form % 5 == 4 ? random() : 0);
}

std::string any_value(std::mt19937_64& random, Memo& memo) {
  switch (random() % 6) {
    case 0: return "N";
    case 1: return "\x88";
    case 2: return "\x89";
    case 3: return memo.text(join({"value", std::to_string(random() % 20)}));
    case 4: return ")";
    default: return any_number(random);
  }
}

// What recorders write, and so what patterns are made of.
std::string plain_value(std::mt19937_64& random, Memo& memo) {
  static const char* FLAGS[] = {"N", "\x88", "\x89"};
  if (random() % 3 == 0) return memo.text(join({"value", std::to_string(random() % 20)}));
  return random() % 2 == 0 ? FLAGS[random() % 3] : join({"M", little(random(), 2)});
}

std::string any_list(std::mt19937_64& random, Memo& memo) {
  std::string items;
  for (std::size_t i = random() % 3; i > 0; --i) {
    std::string inner;
    for (std::size_t k = random() % 3; k > 0; --k) inner += any_number(random);
    items += random() % 3 == 0 ? any_value(random, memo) : list(inner);
  }
  return list(items);
}

// `open` is what follows EMPTY_DICT: nothing, or a FRAME that changes nothing and is not c10's. With `shapes`, entries come
// round after that many, or come in no order, and differ in numbers and frames alone, or in sizes too. Of half of these dumps
// frames come first and are a shape's own, as are the forms of its numbers.
std::string dump_of(std::uint64_t seed, const std::string& open, unsigned shapes = 0, unsigned count = 60, bool new_sizes = false,
                    bool in_turn = true) {
  std::mt19937_64 numbers(seed);
  Memo memo;
  static const char* KEYS[] = {"record_id", "pg_id", "collective_seq_id", "p2p_seq_id", "op_id", "time_created_ns",
                               "time_discovered_started_ns", "time_discovered_completed_ns", "timeout_ms", "retired",
                               "is_p2p", "state", "profiling_name", "unknown", "duration_ms"};
  static const char* LISTS[] = {"frames", "input_sizes", "output_sizes", "input_dtypes", "output_dtypes"};
  static const std::set<std::string_view> LEFT_OUT = {"unknown", "frames", "record_id", "collective_seq_id", "op_id", "time_created_ns", "duration_ms"};
  const bool plain = shapes > 0 && seed % 8 != 0;
  const std::string key = memo.text("entries");
  std::string entries;
  for (unsigned i = 0; i < count; ++i) {
    std::mt19937_64 random(shapes == 0 ? numbers() : seed * 64 + (in_turn ? i : (i + 1) * 0x9e3779b1u >> 13) % shapes);
    const bool own_frames = shapes > 0 && seed / 2 % 2 == 1;
    std::string pairs;
    if (own_frames) {
      pairs = memo.text("frames");
      std::string frames;
      for (std::size_t k = random() % 30; k > 0; --k) frames += memo.text(join({"frame", std::to_string(random() % 40)}));
      pairs += list(frames);
      for (const char* key : {"record_id", "collective_seq_id", "op_id"}) pairs += memo.text(key) + number_of(numbers(), random() % 3, 0);
      for (const char* key : {"time_created_ns", "time_discovered_started_ns", "time_discovered_completed_ns"}) {
        pairs += memo.text(key) + (random() % 4 == 0 ? "N" : number(static_cast<std::int64_t>(numbers()) >> (numbers() % 64 == 0 ? 0 : 2)));
      }
      if (random() % 2 == 0) pairs += memo.text("duration_ms") + join({"G", little(numbers(), 8)});
    } else {
      pairs = memo.text("record_id") + (new_sizes ? join({"M", little(numbers(), 2)}) : any_number(shapes == 0 ? random : numbers));
    }
    if (shapes > 0 && !own_frames) {
      std::string frames;
      for (std::size_t k = numbers() % 4; k > 0; --k) frames += memo.text(join({"frame", std::to_string(numbers() % 9)}));
      pairs += memo.text("frames") + list(frames);
      for (const char* key : {"collective_seq_id", "op_id", "time_created_ns"}) pairs += memo.text(key) + (new_sizes ? join({"M", little(numbers(), 2)}) : any_number(numbers));
      if (random() % 2 == 0) pairs += memo.text("duration_ms") + join({"G", little(numbers(), 8)});
    }
    for (const char* key : LISTS) {
      if (plain && LEFT_OUT.contains(key)) continue;
      if (new_sizes && std::string_view(key).ends_with("_sizes")) pairs += memo.text(key) + (numbers() % 16 == 0 ? any_list(numbers, memo) : list(list(join({"M", little(numbers(), 2)}))));
      else if (plain) pairs += memo.text(key) + list(list(join({"K", little(random() % 9, 1)})));
      else if (random() % 8 != 0) pairs += memo.text(key) + (random() % 10 == 0 ? any_value(random, memo) : any_list(random, memo));
    }
    pairs += memo.text("process_group") + memo.text(join({"g", std::to_string(random() % 300)})) + memo.text("tp") + "\x86";
    for (const char* key : KEYS) {
      // An entry that says a thing twice makes no pattern, nor does one with a key that no recorder writes.
      if (plain && (LEFT_OUT.contains(key) || (own_frames && std::string_view(key).starts_with("time_")))) continue;
      if (random() % 8 != 0) pairs += memo.text(key) + (plain ? plain_value(random, memo) : any_value(random, memo));
    }
    if (random() % 4 == 0) pairs += memo.text("state") + memo.text("completed");
    entries += join({"}", open, "(", pairs, "u"});
  }
  return join({std::string_view("\x80\x02", 2), "}(", key, list(entries), "u."});
}

std::string shown(const Dump& dump, Value value) {
  if (value.is_integer()) return std::to_string(value.integer());
  if (value.is(Value::Tag::string)) return join({"'", dump.text(value.index()), "'"});
  if (!value.is(Value::Tag::sequence)) return std::to_string(value.bits());
  std::string all = "[";
  for (const Value each : dump.tables.values(value.index())) all += shown(dump, each) + ",";
  return all + "]";
}

std::vector<std::string> texts(const Dump& dump, const std::vector<Value>& values) {
  std::vector<std::string> found;
  for (const Value value : values) found.emplace_back(value.is(Value::Tag::string) ? dump.text(value.index()) : "");
  return found;
}

void same(const Dump& a, const Dump& b) {
  CHECK_EQ(a.rows.size(), b.rows.size());
  CHECK_EQ(a.unknown_keys, b.unknown_keys);
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    const Row& x = a.rows[i];
    const Row& y = b.rows[i];
    CHECK_EQ(x.record_id, y.record_id);
    CHECK(x.pg_id == y.pg_id && x.collective_seq == y.collective_seq && x.p2p_seq == y.p2p_seq && x.op_id == y.op_id);
    CHECK(x.created_ns == y.created_ns && x.completed_ns == y.completed_ns && x.timeout_ms == y.timeout_ms);
    CHECK(x.state == y.state && x.retired == y.retired && x.is_p2p == y.is_p2p && x.started_seen == y.started_seen);
    CHECK(a.text(x.pg_name) == b.text(y.pg_name) && a.text(x.pg_desc) == b.text(y.pg_desc));
    CHECK(a.text(x.profiling_name) == b.text(y.profiling_name));
    CHECK((x.frames == UINT32_MAX) == (y.frames == UINT32_MAX));
    if (x.frames != UINT32_MAX && y.frames != UINT32_MAX) CHECK(texts(a, a.frames(x.frames)) == texts(b, b.frames(y.frames)));
    const auto list = [&](std::uint32_t of_a, std::uint32_t of_b) {
      if (of_a == UINT32_MAX || of_b == UINT32_MAX) return of_a == of_b;
      return shown(a, Value::sequence(of_a)) == shown(b, Value::sequence(of_b));
    };
    CHECK(list(x.input_sizes, y.input_sizes) && list(x.output_sizes, y.output_sizes));
    CHECK(list(x.input_dtypes, y.input_dtypes) && list(x.output_dtypes, y.output_dtypes));
  }
}

// By pattern, by pattern with frames on demand, and on the stack, which `slow` is left to.
void same_on_every_way(const std::string& quick, const std::string& slow, std::size_t count) {
  const auto bytes = [](const std::string& text) {
    return std::span(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  };
  Dump stacked(slow.size() * 4), whole(slow.size() * 4), demanded(slow.size() * 4);
  demanded.frames_on_demand = true;
  read_dump(bytes(slow), stacked);
  read_dump(bytes(quick), whole);
  read_dump(bytes(quick), demanded);
  CHECK(!whole.rejection && !whole.truncated && !demanded.rejection && !demanded.truncated);
  CHECK_EQ(whole.rows.size(), count);
  same(whole, stacked);
  same(demanded, stacked);
}

}  // namespace

int main() {
  checks::test("both ways read the same from the same entries, whole and cut", [] {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const std::string quick = dump_of(seed, "");
      const std::string slow = dump_of(seed, join({"\x95", std::string(8, '\0')}));
      const auto read = [](const std::string& text, std::size_t size, Dump& dump) {
        read_dump({reinterpret_cast<const unsigned char*>(text.data()), size}, dump);
      };
      Dump a(quick.size() * 4), b(quick.size() * 4);
      read(quick, quick.size(), a);
      read(slow, slow.size(), b);
      CHECK(!a.rejection && !b.rejection && !a.truncated && !b.truncated);
      CHECK_EQ(a.rows.size(), 60u);
      same(a, b);
    }
  });
  checks::test("entries that come round read the same by pattern, with frames on demand, and on the stack", [] {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const unsigned shapes = 1 + seed % 9;
      const std::string quick = dump_of(seed, "", shapes);
      const std::string slow = dump_of(seed, join({"\x95", std::string(8, '\0')}), shapes);
      same_on_every_way(quick, slow, 60);
    }
  });
  checks::test("entries of ever new sizes read the same by pattern and on the stack", [] {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const unsigned shapes = 1 + seed % 5;
      const std::string quick = dump_of(seed, "", shapes, 1500, true);
      const std::string slow = dump_of(seed, join({"\x95", std::string(8, '\0')}), shapes, 1500, true);
      same_on_every_way(quick, slow, 1500);
    }
  });
  checks::test("entries in no order read the same by pattern, with frames on demand, and on the stack", [] {
    for (std::uint64_t seed = 1; seed < 25; ++seed) {
      const unsigned shapes = 2 + static_cast<unsigned>(seed * 7 % 60);
      const bool new_sizes = seed % 3 == 0;
      const std::string quick = dump_of(seed, "", shapes, 900, new_sizes, false);
      const std::string slow = dump_of(seed, join({"\x95", std::string(8, '\0')}), shapes, 900, new_sizes, false);
      same_on_every_way(quick, slow, 900);
    }
  });
  checks::test("a memo slot that is filled again does not change frames that were stepped over", [] {
    const auto entry = [](const std::string& id) { return dict(join({"h\x01", "K", id, "h\x02", list("h\x03")})); };
    const std::string first = dict(pair("record_id", "K\x07") + text("frames") + list(text("old") + "q\x03"));
    const std::string slots = join({text("entries"), std::string_view("q\x00", 2)});
    const std::string text = join({std::string_view("\x80\x02}(", 4), pickles::text("frames"), "q\x02", pickles::text("record_id"),
                                   "q\x01", slots, "](", first, entry("\x08"), entry("\x09"), pickles::text("new"), "q\x03",
                                   entry("\x0a"), "eu."});
    Dump dump(text.size());
    dump.frames_on_demand = true;
    read_dump({reinterpret_cast<const unsigned char*>(text.data()), text.size()}, dump);
    CHECK_EQ(dump.rows.size(), 4u);
    CHECK((dump.rows[1].frames & STEPPED_OVER) == 0);
    CHECK(texts(dump, dump.frames(dump.rows[2].frames)) == std::vector<std::string>{"old"});
    CHECK(texts(dump, dump.frames(dump.rows[3].frames)) == std::vector<std::string>{"new"});
  });
  checks::test("an entry before an APPENDS that is refused is whole on every way", [] {
    const std::string frame = join({pickles::text("record_id"), "q\x01", pickles::text("frames"), "q\x02", pickles::text("step"), "q\x03"});
    const std::string first = join({"}(h\x01K\x01h\x02", list("h\x03"), "u"});
    // What is appended to is not a list but a text.
    const std::string text = join({"\x88", frame, "(", first, "}(h\x01K\x02h\x02", list("h\x03h\x03"), "u"});
    for (const std::string_view behind : {"e", "e.", "e}\x94N.", "eNNNNNNNNNNNNNNNN."}) {
      const std::string whole = join({text, behind});
      for (const bool on_demand : {false, true}) {
        Dump dump(whole.size());
        dump.frames_on_demand = on_demand;
        read_dump({reinterpret_cast<const unsigned char*>(whole.data()), whole.size()}, dump);
        CHECK(dump.rejection && dump.rejection->offset == text.size());
        CHECK_EQ(dump.rows.size(), 2u);
      }
    }
  });
  checks::test("an entry that is cut off is not counted on either way", [] {
    const std::string text = dump_of(7, "");
    std::size_t before = 0;
    for (std::size_t size = 0; size < text.size(); ++size) {
      const std::string cut = text.substr(0, size);
      Dump dump(text.size());
      read_dump({reinterpret_cast<const unsigned char*>(cut.data()), cut.size()}, dump);
      CHECK(dump.truncated && dump.rows.size() >= before);
      before = dump.rows.size();
    }
    CHECK_EQ(before, 60u);
  });
  return checks::result();
}
