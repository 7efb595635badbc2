// Files that a hostile job could leave, each made when it is asked for, and what the reader has to say of them.
#pragma once

#include <functional>
#include <string>

#include "test/flight_recorder_pickles.h"

namespace shapes {

using pickles::dict;
using pickles::join;
using pickles::list;
using pickles::little;
using pickles::pair;
using pickles::text;

inline constexpr std::size_t MIB = std::size_t{1} << 20;

struct Shape {
  const char* name;
  const char* says;  // part of the document
  std::function<std::string()> made;
};

inline std::string repeat(std::string_view part, std::size_t times) {
  std::string all;
  all.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += part;
  return all;
}
inline std::string pickle(std::string_view body) { return join({std::string_view("\x80\x04", 2), body, "."}); }
// A whole dump with these pairs besides its version.
inline std::string holding(std::string_view pairs) {
  return pickle(join({"}(", pair("version", text("2.10")), pairs, "u"}));
}
inline std::string config_of(std::string_view ranks) {
  return pair("pg_config", dict(pair("0", dict(join({pair("name", text("0")), pair("desc", text("default_pg")), pair("ranks", text(ranks))})))));
}
inline std::string numbers(std::size_t count) {
  std::string all = "[";
  for (std::size_t i = 0; i < count; ++i) all += (i > 0 ? "," : "") + std::to_string(i);
  return all + "]";
}
inline std::string laughs() {
  std::string all = "(](K\x01" "e";
  for (int i = 0; i < 60; ++i) {
    const char slot = static_cast<char>(i);
    const std::string_view id(&slot, 1);
    all += join({"q", id, "](h", id, "h", id, "e"});
  }
  return all + "t";
}

inline const Shape ALL[] = {
    {"a call of a global", "an opcode that no flight recorder writes", [] { return pickle("cos\nsystem\n(X\x02\x00\x00\x00idtR"); }},
    {"a global from the stack", "an opcode that no flight recorder writes", [] { return pickle(join({text("os"), text("system"), "\x93"})); }},
    {"doubling lists", "is not a flight-recorder dump", [] { return pickle(laughs()); }},
    {"doubling lists in an entry", "\"dumps_count\":1", [] { return holding(pair("entries", list(dict(pair("record_id", "K\x01") + text("input_sizes") + laughs())))); }},
    {"a memo number of 2^28", "memo number out of order", [] { return pickle(std::string_view("}r\xff\xff\xff\x0f", 6)); }},
    {"8 MiB of memo slots", "memo number out of order", [] { return pickle("}" + std::string(8 * MIB, '\x94')); }},
    {"16 EiB announced", "\"truncated\":true", [] { return pickle(std::string_view("}(\x8d\xff\xff\xff\xff\xff\xff\xff\xff", 11)); }},
    {"4 GiB announced", "\"truncated\":true", [] { return pickle(std::string_view("}(X\xff\xff\xff\xff", 7)); }},
    {"bytes without end", "\"truncated\":true", [] { return pickle(std::string_view("}(B\xff\xff\xff\xff", 7)); }},
    {"an integer of 2 GiB", "an integer of more than eight bytes", [] { return pickle(std::string_view("\x8b\xff\xff\xff\x7f", 5)); }},
    {"an integer of minus one bytes", "an integer of more than eight bytes", [] { return pickle(std::string_view("\x8b\xff\xff\xff\xff", 5)); }},
    {"an integer of nine bytes", "an integer of more than eight bytes", [] { return pickle("\x8a\x09" "123456789"); }},
    {"8 MiB of open lists", "needs more memory", [] { return pickle(std::string(8 * MIB, ']')); }},
    {"8 MiB of marks", "nested too deeply", [] { return pickle(std::string(8 * MIB, '(')); }},
    {"200,000 nested lists", "\"rejected\"", [] { return pickle(repeat("]", 200'000) + repeat("a", 199'999)); }},
    {"8 MiB of nothing", "needs more memory", [] { return pickle(std::string(8 * MIB, 'N')); }},
    {"a list in itself", "a container changed after it was used", [] { return pickle(std::string_view("]q\x00h\x00" "a", 6)); }},
    {"one key 500,000 times", "\"dumps_count\":1", [] { return holding(repeat(pair("version", text("2.10")), 500'000)); }},
    {"500,000 keys", "\"dumps_count\":1", [] {
       std::string keys;
       for (int i = 0; i < 500'000; ++i) keys += text(std::to_string(i)) + "N";
       return holding(keys);
     }},
    {"500,000 texts in an entry", "\"dumps_count\":1", [] {
       std::string frames;
       for (int i = 0; i < 500'000; ++i) frames += text("frame " + std::to_string(i));
       return holding(pair("entries", list(dict(pair("record_id", "K\x01") + pair("frames", list(frames))))));
     }},
    {"a million entries of nothing", "\"dumps_count\":1", [] { return holding(pair("entries", list(repeat(dict(pair("record_id", "K\x01")), 1'000'000)))); }},
    {"a million entries by memo", "\"dumps_count\":1", [] {
       return pickle(join({"}(", pair("version", text("2.10")), text("record_id"), std::string_view("q\x00N", 3), text("entries"), "](",
                           repeat(std::string_view("}(h\x00K\x01u", 7), 1'000'000), "eu"}));
     }},
    {"300,000 entries that all wait", "\"dumps_count\":1", [] {
       std::string entries;
       for (std::int64_t i = 0; i < 300'000; ++i) {
         entries += join({"}(h", std::string_view("\x00", 1), "J", little(static_cast<std::uint64_t>(i), 4), "h\x01J", little(static_cast<std::uint64_t>(i), 4), "u"});
       }
       return pickle(join({"}(", text("record_id"), std::string_view("q\x00N", 3), text("collective_seq_id"), "q\x01N", text("entries"), "](", entries, "eu"}));
     }},
    {"100,000 groups", "\"dumps_count\":1", [] {
       std::string groups;
       for (int i = 0; i < 100'000; ++i) {
         groups += pair(std::to_string(i), dict(pair("name", text(std::to_string(i))) + pair("desc", text("tp")) + pair("ranks", text("[0, 1]"))));
       }
       return holding(pair("pg_config", dict(groups)));
     }},
    {"100,000 groups of entries", "\"dumps_count\":1", [] {
       std::string entries;
       for (int i = 0; i < 100'000; ++i) {
         entries += join({"}(h", std::string_view("\x00", 1), "K\x01h\x01", text(std::to_string(i)), text("tp"), "\x86u"});
       }
       return pickle(join({"}(", text("record_id"), std::string_view("q\x00N", 3), text("process_group"), "q\x01N", text("entries"), "](", entries, "eu"}));
     }},
    {"ranks that are code", "\"dumps_count\":1", [] { return holding(config_of("__import__('os').system('id')")); }},
    {"a far rank", "\"dumps_count\":1", [] { return holding(config_of("[0, 131071]")); }},
    {"as many ranks as may be", "\"dumps_count\":1", [] { return holding(config_of(numbers(131'072))); }},
    {"three million ranks", "\"dumps_count\":1", [] { return holding(config_of(numbers(3'000'000))); }},
    {"one rank a million times, in many lists", "\"dumps_count\":1", [] {
       std::string groups;
       for (int i = 0; i < 40; ++i) {
         groups += pair(std::to_string(i), dict(pair("desc", text("tp")) + pair("ranks", text("[" + repeat("0,", 100'000) + std::to_string(i) + "]"))));
       }
       return holding(pair("pg_config", dict(groups)));
     }},
    {"JSON: 8 MiB of open lists", "nested too deeply", [] { return "{\"entries\":" + std::string(8 * MIB, '['); }},
    {"JSON: 1e400 and numbers of 1 MiB", "\"dumps_count\":1", [] { return "{\"version\":\"2.10\",\"pg_status\":{},\"a\":1e400,\"b\":" + std::string(MIB, '9') + ",\"entries\":[]}"; }},
    {"JSON: 1 MiB of escapes in a text", "\"dumps_count\":1", [] { return "{\"version\":\"2.10\",\"pg_status\":{},\"a\":\"" + repeat("\\ud83d\\ude00", MIB / 12) + "\",\"entries\":[]}"; }},
    {"JSON: 100,000 texts with escapes", "\"dumps_count\":1", [] {
       std::string all = "{\"version\":\"2.10\",\"pg_status\":{},\"entries\":[";
       for (int i = 0; i < 100'000; ++i) all += (i > 0 ? "," : "") + ("\"\\n" + std::to_string(i)) + "\"";
       return all + "]}";
     }},
    {"JSON: one key 300,000 times", "\"dumps_count\":1", [] { return "{\"version\":\"2.10\",\"pg_status\":{}" + repeat(",\"entries\":[]", 300'000) + "}"; }},
};

}  // namespace shapes
