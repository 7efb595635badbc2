// Pickles made by hand for the flight-recorder tests: small dumps in c10's shape, and the shapes of attacks.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace pickles {

inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}
inline std::string join(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all.append(part);
  return all;
}
inline std::string text(std::string_view value) { return join({"X", little(value.size(), 4), value}); }
inline std::string number(std::int64_t value) {
  return join({"\x8a\x08", little(static_cast<std::uint64_t>(value), 8)});
}
inline std::string list(std::string_view items) { return join({"](", items, "e"}); }
inline std::string dict(std::string_view pairs) { return join({"}(", pairs, "u"}); }
inline std::string pair(std::string_view key, std::string_view value) { return join({text(key), value}); }

inline std::string entry(std::int64_t seq, std::string_view state, std::string_view operation = "nccl:all_reduce",
                         std::int64_t elements = 16) {
  return dict(pair("frames", list(dict(pair("name", text("step")) + pair("filename", text("loop.py")) +
                                       pair("line", number(7))))) +
              pair("record_id", number(seq)) + pair("pg_id", number(0)) +
              pair("process_group", text("0") + text("default_pg") + "\x86") +
              pair("collective_seq_id", number(seq)) + pair("p2p_seq_id", number(0)) + pair("op_id", number(seq)) +
              pair("profiling_name", text(operation)) + pair("time_created_ns", number(1795818744544767432 + seq)) +
              pair("input_sizes", list(list(number(elements)))) + pair("input_dtypes", list(text("Float"))) +
              pair("state", text(state)) + pair("retired", state == "completed" ? "\x88" : "\x89") +
              pair("is_p2p", "\x89"));
}

// A dump of one rank of `ranks`: all entries up to `done` completed, the rest scheduled.
inline std::string dump(int entries, int done, std::string_view ranks = "[0, 1, 2]") {
  std::string all;
  for (int seq = 1; seq <= entries; ++seq) all += entry(seq, seq <= done ? "completed" : "scheduled");
  return std::string("\x80\x02", 2) +
         dict(pair("version", text("2.10")) +
              pair("pg_config", dict(pair("0", dict(pair("name", text("0")) + pair("desc", text("default_pg")) +
                                                    pair("ranks", text(ranks)))))) +
              pair("pg_status", dict(pair("0", dict(pair("last_enqueued_collective", number(entries)) +
                                                    pair("last_started_collective", number(-1)) +
                                                    pair("last_completed_collective", number(done)))))) +
              pair("entries", list(all))) +
         ".";
}

}  // namespace pickles
