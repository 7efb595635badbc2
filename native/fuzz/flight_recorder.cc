// Fuzzes reader and join: up to four dumps in one input, each behind its length in two bytes, as a hostile job would leave.
// With clang: -fsanitize=fuzzer,address,undefined and this file alone; the native tests drive it without a fuzzer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "flight_recorder/analyse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<faultline::flight_recorder::NamedBytes> dumps;
  std::size_t at = 0;
  for (int rank = 0; rank < 4 && at < size; ++rank) {
    std::size_t length = size - at;
    if (rank < 3 && length > 2) {
      length = std::min<std::size_t>(length - 2, data[at] | (static_cast<std::size_t>(data[at + 1]) << 8));
      at += 2;
    }
    dumps.push_back({"rank_" + std::to_string(rank), {data + at, length}});
    at += length;
  }
  if (faultline::flight_recorder::analyse_bytes(dumps).empty()) std::abort();
  return 0;
}
