// Fuzzes the word scanner: words and a text of any bytes; the lines that it finds are those that a search for each word finds.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/scan/word_scanner.h"
#include "fuzz/watching_sink.h"
#include "test/naive_scan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace faultline;
  if (size < 4) return 0;
  const bool colours = (data[0] & 1) != 0;
  const std::size_t most = 1 + data[0] / 32;
  std::vector<ScanWord> words;
  std::size_t at = 1;
  for (std::size_t count = data[at++] % 8; count > 0 && at + 1 < size; --count) {
    const std::size_t length = std::min<std::size_t>(2 + data[at] % 14, size - at - 1);
    std::string text(reinterpret_cast<const char*>(data + at + 1), length);
    if (length >= WordScanner::kLeastWord && text.find('\n') == std::string::npos) words.push_back({text, (data[at] & 16) != 0});
    at += 1 + length;
  }
  const std::string_view text(reinterpret_cast<const char*>(data + at), size - at);
  const unsigned lanes[] = {1, 16, 32, 64};
  const auto scanner = WordScanner::make(words, colours, lanes[data[0] >> 1 & 3]);
  WatchingSink::demand(scanner.has_value());
  WatchingSink::demand(lines_by_scanner(*scanner, text, most) == lines_by_search(words, colours, text));
  return 0;
}
