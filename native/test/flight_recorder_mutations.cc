// Reader and join under random damage to dumps, driven through the fuzzer's entry point; seeds are fixed.
#include <cstdlib>
#include <random>
#include <vector>

#include "test/check.h"
#include "test/flight_recorder_pickles.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string framed(const std::vector<std::string>& dumps) {
  std::string all;
  for (std::size_t i = 0; i < dumps.size(); ++i) {
    if (i < 3) all += pickles::little(dumps[i].size(), 2);
    all += dumps[i];
  }
  return all;
}

}  // namespace

int main() {
  // More with FAULTLINE_FUZZ_RUNS, for long runs by hand.
  const char* asked = std::getenv("FAULTLINE_FUZZ_RUNS");
  const long runs = asked == nullptr ? 20'000 : std::atol(asked);
  const std::string json = R"({"version":"2.10","pg_status":{},"entries":[{"record_id":1,"profiling_name":"gloo:send 0->1"}]})";
  const std::string seeds[] = {
      framed({pickles::dump(3, 2), pickles::dump(3, 2), pickles::dump(2, 2), pickles::dump(3, 3)}),
      framed({pickles::dump(2, 1), json, pickles::dump(1, 1), json}),
  };
  checks::test("damaged dumps are read or refused, and joined", [&] {
    std::mt19937_64 random(7);
    for (long run = 0; run < runs; ++run) {
      std::string text = seeds[random() % 2];
      for (std::size_t changes = 1 + random() % 8; changes > 0; --changes) {
        const std::size_t at = random() % text.size();
        switch (random() % 4) {
          case 0: text[at] = static_cast<char>(random()); break;
          case 1: text.erase(at, 1 + random() % 16); break;
          case 2: text.insert(at, text.substr(random() % text.size(), 1 + random() % 64)); break;
          default: text[at] = "(]}eua.tdlNKMJGXqrhj\x80\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x94\x95"[random() % 32]; break;
        }
        if (text.empty()) text.push_back('.');
      }
      CHECK_EQ(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), 0);
    }
  });
  return checks::result();
}
