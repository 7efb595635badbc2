// Fuzzes what takes summaries of many hosts out of one file, bare or in a collector's JSON: each lies in the file, in order, and
// is no longer than its place there.
#include <cstdlib>
#include <string>

#include "flight_recorder/analyse.h"
#include "flight_recorder/summary/summary_lines.h"

using namespace faultline::flight_recorder;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // What a file must begin with is hard to guess, and every line is judged by itself.
  static const std::string begins = R"({"schema":"faultline/fr-summary/1")";
  static const std::string wrapped = R"({"resourceLogs":"{\"schema\":\"faultline/fr-summary/1\")";
  if (size == 0) return 0;
  std::string text = (data[0] & 1) != 0 ? begins : wrapped;
  text.append(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::span<const unsigned char> bytes(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  if (!holds_summaries(bytes)) std::abort();
  std::uint64_t last = 0;
  std::size_t found = 0, total = 0;
  each_summary(bytes, [&](std::uint64_t offset, std::string_view summary) {
    if (offset >= text.size() || text[offset] != '{' || (found > 0 && offset <= last) || summary.size() > text.size() - offset) std::abort();
    last = offset;
    total += summary.size();
    ++found;
    if (!summary.starts_with(begins)) std::abort();
  });
  if (found == 0 || total > text.size()) std::abort();
  // To the verdict, as a file that the user gave.
  bool given = false;
  analyse_given(
      [&](unsigned) -> std::optional<GivenFile> {
        if (given) return std::nullopt;
        given = true;
        GivenFile file;
        file.path = "summaries.jsonl";
        file.named = true;
        file.read.bytes.assign(bytes.begin(), bytes.end());
        return file;
      },
      {.length = Length::brief});
  return 0;
}
