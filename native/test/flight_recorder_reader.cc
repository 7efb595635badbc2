// The dump reader against what it must read, what it must salvage and what it must refuse.
#include <sys/resource.h>

#include <cstring>
#include <vector>

#include "flight_recorder/analyse.h"
#include "flight_recorder/files/file.h"
#include "flight_recorder/limits.h"
#include "test/check.h"
#include "test/exhaustive.h"
#include "test/flight_recorder_pickles.h"

using namespace faultline::flight_recorder;
using namespace pickles;

namespace {

std::span<const unsigned char> bytes(const std::string& text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

struct Outcome {
  std::size_t entries;
  bool truncated;
  std::string why;
  std::uint64_t offset;
  int opcode;
};

Outcome read(const std::string& text) {
  Dump dump(text.size());
  read_dump(bytes(text), dump);
  Outcome outcome{dump.rows.size(), dump.truncated, "", 0, -1};
  if (dump.rejection) {
    outcome.why = dump.rejection->why;
    outcome.offset = dump.rejection->offset;
    outcome.opcode = dump.rejection->opcode;
  }
  return outcome;
}

std::string repeat(std::string_view part, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += part;
  return all;
}

void refused(const char* name, const std::string& text, std::string_view why) {
  checks::test(name, [&] {
    const Outcome outcome = read(std::string("\x80\x04", 2) + text);
    CHECK(outcome.why.find(why) != std::string::npos);
    if (outcome.why.find(why) == std::string::npos) std::printf("  said: %s\n", outcome.why.c_str());
  });
}

void reads() {
  checks::test("a dump in c10's shape is read whole", [] {
    const std::string text = dump(5, 4);
    Dump read(text.size());
    read_dump(bytes(text), read);
    CHECK(!read.rejection && !read.truncated);
    CHECK_EQ(read.rows.size(), 5u);
    CHECK_EQ(read.rows[2].created_ns, 1795818744544767435);
    CHECK_EQ(std::string(read.text(read.rows[0].profiling_name)), "nccl:all_reduce");
    CHECK(read.rows[3].state == Row::State::completed && read.rows[4].state == Row::State::scheduled);
    CHECK_EQ(std::string(read.string(read.find(Name::version))), "2.10");
  });
  checks::test("CPython's shape is read: memo before contents, single pairs, frames and memoize", [] {
    // A list with one dict that is set by a mark, then appended alone.
    const std::string good = std::string("\x80\x04\x95", 3) + little(999, 8) + "}\x94\x8c\x07version\x94\x8c\x03" "2.9\x94s" +
                             "\x8c\x07" "entries\x94]\x94}\x94(\x8c\x09record_id\x94K\x03\x8c\x05op_id\x94K\x04uas.";
    const Outcome outcome = read(good);
    CHECK_EQ(outcome.why, std::string());
    CHECK_EQ(outcome.entries, 1u);
  });
  checks::test("an entry that is built pair by pair is an entry", [] {
    const std::string text = std::string("\x80\x02}", 3) + pair("entries", "]}" + pair("op_id", "K\x01") + "s" +
                             pair("record_id", "K\x02") + "s" + "a") + "s.";
    Dump read(text.size());
    read_dump(bytes(text), read);
    CHECK_EQ(read.rows.size(), 1u);
    CHECK_EQ(read.rows[0].record_id, 2);
    CHECK_EQ(read.rows[0].op_id, 1);
  });
  checks::test("integers keep all 63 bits, and larger ones are absent", [] {
    for (const std::int64_t value : {0L, -1L, 255L, 65535L, -(1L << 31), (1L << 62) - 1, -(1L << 62)}) {
      CHECK_EQ(Value::integer(value).integer(), value);
      CHECK(Value::integer(value).is_integer());
    }
    CHECK(!Value::integer(1L << 62).is_integer());
  });
  checks::test("an empty list of items for something that takes no items is accepted, as in CPython", [] {
    for (const std::string& text : {join({"}(", text("aa"), text("h"), "(uu."}), join({"}(", text("aa"), "N(eu."})}) {
      CHECK_EQ(read(text).why, "");
    }
  });
  checks::test("a number as a key, as format 1.2 has it, is that number as text", [] {
    const std::string whole = std::string("\x80\x02}(", 4) + text("pg_config") + std::string("}(K\x07](K\x00K\x01" "euu.", 14);
    Dump read(whole.size());
    read_dump(bytes(whole), read);
    CHECK(!read.rejection && !read.truncated);
    const auto config = read.find(Name::pg_config);
    CHECK(config && config->is(Value::Tag::mapping));
    CHECK_EQ(std::string(read.string(read.tables.values(config->index())[0])), "7");
  });
  checks::test("JSON gives what pickle gives", [] {
    const std::string text = R"({"entries":[{"collective_seq_id":1,"record_id":0,"time_created_ns":1795818558639575620,)"
                             R"("process_group":["0","d\u00e9\ud83d\ude00\ud800"],"state":"scheduled","retired":true,)"
                             R"("profiling_name":"gloo:barrier","is_p2p":false}],"pg_status":{"0":{)"
                             R"("last_enqueued_collective":"1"}},"version":"2.10"})";
    Dump read(text.size());
    read_dump(bytes(text), read);
    CHECK(!read.rejection && !read.truncated);
    CHECK_EQ(read.rows.size(), 1u);
    CHECK_EQ(read.rows[0].created_ns, 1795818558639575620);
    CHECK_EQ(std::string(read.text(read.rows[0].pg_desc)), "d\u00e9\U0001f600\ufffd");
  });
}

void refuses() {
  refused("a global is refused", "cos\nsystem\n(X\x02\x00\x00\x00idtR.", "opcode that no flight recorder writes");
  for (const char opcode : {'c', 'R', 'i', 'o', 'b', 'P', 'Q', '0', '1', '2', 'I', 'L', 'F', 'S', 'V', 'g', 'p', '\x81',
                            '\x82', '\x83', '\x84', '\x8e', '\x8f', '\x90', '\x91', '\x92', '\x93', '\x96', '\x97', '\x98'}) {
    refused("an opcode that is not on the list is refused", std::string("}") + opcode + ".", "opcode that no");
  }
  refused("a huge memo number is refused", std::string("}r\xff\xff\xff\x0f.", 7), "memo number out of order");
  refused("a slot that was never filled is refused", "}h\x05.", "memo slot was never filled");
  refused("a list that contains itself is refused", std::string("]q\x00h\x00" "a.", 7), "changed after it was used");
  refused("deep nesting by append is refused", repeat("]", 200) + repeat("a", 199) + ".", "nested too deeply");
  refused("deep nesting by marks is refused", repeat("](", 200), "nested too deeply");
  refused("an odd number of keys and values is refused", "}(K\x01u.", "a key without a value");
  refused("a key that is not a text is refused", "}(NK\x02u.", "a key that is not a text");
  refused("append to a dict is refused", "}K\x01" "a.", "is not a list");
  refused("pairs in a list are refused", join({"](", text("a"), "K\x01u."}), "is not a dict");
  refused("a tuple of too few is refused", "K\x01\x86.", "too few values");
  refused("a missing mark is refused", "]e.", "no mark");
  refused("several values at the end are refused", "}}.", "more or less than one value");
  refused("an integer of nine bytes is refused", std::string("\x8a\x09") + "123456789.", "more than eight bytes");
  refused("a negative length is refused", std::string("\x8b\xff\xff\xff\xff.", 6), "more than eight bytes");
  refused("a protocol of the future is refused", "\x80\x06}.", "newer than 5");
  checks::test("the place and the opcode of a refusal are reported", [] {
    const Outcome outcome = read(std::string("\x80\x02}", 3) + "cos\nsystem\n.");
    CHECK_EQ(outcome.offset, 3u);
    CHECK_EQ(outcome.opcode, 'c');
  });
  checks::test("lengths beyond the end are an early end", [] {
    for (const std::string& text : {std::string("X\xff\xff\xff\xff" "a"), std::string("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"),
                                    std::string("B\xff\xff\xff\xff"), std::string("\x95\x01")}) {
      CHECK(read(std::string("\x80\x04}(", 4) + text).truncated);
    }
    CHECK(read("").truncated);
  });
  checks::test("ranks are numbers with commas and nothing else", [] {
    CHECK_EQ(ranks_of("[0, 1, 12]")->size(), 3u);
    CHECK_EQ(ranks_of("[]")->size(), 0u);
    for (const char* text : {"__import__('os')", "[0, x]", "[0 1", "0, 1", "[-1]", "[1.5]", "[0, 99999999999999999999]"}) {
      CHECK(!ranks_of(text));
    }
  });
}

void survives() {
  checks::test("every beginning of a dump gives the entries that are whole", [] {
    const std::string whole = dump(4, 3);
    std::size_t before = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      // On the heap and no longer than it is: a read past the end is seen.
      const std::string cut(whole.data(), size);
      const Outcome outcome = read(cut);
      CHECK(outcome.truncated && outcome.why.empty());
      CHECK(outcome.entries >= before);
      before = outcome.entries;
    }
    CHECK_EQ(before, 4u);
  });
  checks::test("a dump with any byte changed is read or refused, and joined", [] {
    const std::string whole = dump(2, 1);
    const std::string other = dump(1, 1);
    const int EVERY = exhaustive::step(5);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (int value = static_cast<int>(at % EVERY); value < 256; value += EVERY) {
        std::string changed = whole;
        changed[at] = static_cast<char>(value);
        CHECK(!analyse_bytes({{"rank_0", bytes(changed)}, {"rank_1", bytes(other)}}).empty());
      }
    }
  });
}

long peak_kib() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void stays_small() {
  const std::size_t MIB = std::size_t{1} << 20;
  std::string laughs = "](K\x01" "e";
  for (int i = 0; i < 60; ++i) {
    const char slot = static_cast<char>(i);
    const std::string_view id(&slot, 1);
    laughs += join({"q", id, "](h", id, "h", id, "e"});
  }
  std::string keys = "}(";
  for (int i = 0; i < 300'000; ++i) keys += text(std::to_string(i)) + "N";
  std::string rows = "](";
  rows += repeat(dict(pair("record_id", "K\x01")), 200'000);
  const std::pair<const char*, std::string> shapes[] = {
      {"doubling lists", laughs + "."},
      {"a memo number of 2^28", std::string("}r\xff\xff\xff\x0f", 6)},
      {"8 MiB of marks", std::string(8 * MIB, '(')},
      {"8 MiB of empty lists", std::string(8 * MIB, ']')},
      {"8 MiB of None", std::string(8 * MIB, 'N')},
      {"8 MiB of memoize", "}" + std::string(8 * MIB, '\x94')},
      {"300,000 keys", keys + "u."},
      {"entries of nothing", rows + "e."},
      {"4 GiB announced", std::string("\x8d\x00\x00\x00\x00\x01\x00\x00\x00", 9)},
  };
  for (const auto& [name, text] : shapes) {
    checks::test(name, [&, &text = text] {
      const long before = peak_kib();
      {
        Dump dump(text.size());
        read_dump(bytes(text), dump);
      }
      // Besides the file: three times its size and 8 MiB. Sanitizers keep freed memory, so only the plain build counts.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
      const long allowed = static_cast<long>((text.size() * 3 + 8 * MIB) / 1024);
      CHECK(peak_kib() - before <= allowed);
#else
      (void)before;
#endif
    });
  }
}

}  // namespace

int main() {
  stays_small();  // first: the peak of a process never falls
  reads();
  refuses();
  survives();
  return checks::result();
}
