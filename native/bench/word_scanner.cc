// Times the word scanner: word_scanner_bench WORDS TEXT [ROUNDS], a word a line, "~" before one of any case. Prints GB/s of its own
// time, the median of the rounds, of a copy of the text, of the scanner, and of vectorscan's block mode where it was built with it.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "core/scan/word_scanner.h"
#ifdef FAULTLINE_BENCH_HS
#include <hs/hs.h>
#endif

namespace {

// Of the thread: other work on the machine does not count.
double seconds_used() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double gigabytes_a_second(std::size_t bytes, int rounds, const std::function<void()>& work) {
  std::vector<double> all;
  for (int i = 0; i < rounds; ++i) {
    const double began = seconds_used();
    work();
    all.push_back(static_cast<double>(bytes) / (seconds_used() - began) / 1e9);
  }
  std::nth_element(all.begin(), all.begin() + rounds / 2, all.end());
  return all[static_cast<std::size_t>(rounds / 2)];
}

std::string whole(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int count, char** arguments) {
  using namespace faultline;
  if (count < 3) return 2;
  const int rounds = count > 3 ? std::atoi(arguments[3]) : 5;
  std::vector<ScanWord> words;
  std::ifstream lines(arguments[1]);
  for (std::string line; std::getline(lines, line);) {
    const bool any_case = line.starts_with('~');
    if (!line.empty()) words.push_back({any_case ? line.substr(1) : line, any_case});
  }
  const std::string text = whole(arguments[2]);
  std::string copy(text.size(), '\0');
  const double copied = gigabytes_a_second(text.size(), rounds, [&] { std::memcpy(copy.data(), text.data(), text.size()); });
  constexpr std::size_t kBlock = 262'144;
  for (const bool colours : {false, true}) {
    const auto scanner = WordScanner::make(words, colours);
    if (!scanner) return 1;
    std::size_t found_lines = 0;
    const double ours = gigabytes_a_second(text.size(), rounds, [&] {
      found_lines = 0;
      std::vector<FoundLine> found;
      for (std::size_t at = 0; at < text.size();) {
        std::size_t newlines = 0;
        found.clear();
        std::size_t end = std::min(at + kBlock, text.size());
        if (end < text.size()) end = text.rfind('\n', end) + 1;
        at += scanner->scan(std::string_view(text).substr(at, end - at), 4096, found, newlines);
        found_lines += found.size();
      }
    });
    std::printf("{\"what\":\"scanner%s\",\"gb_s\":%.3f,\"lines\":%zu,\"words\":%zu}\n", colours ? "_colours" : "", ours, found_lines, words.size());
  }
  std::printf("{\"what\":\"memcpy\",\"gb_s\":%.3f}\n", copied);
#ifdef FAULTLINE_BENCH_HS
  std::vector<const char*> patterns;
  std::vector<unsigned> flags, ids;
  std::vector<std::size_t> lengths;
  for (unsigned i = 0; i < words.size(); ++i) {
    patterns.push_back(words[i].text.data());
    lengths.push_back(words[i].text.size());
    flags.push_back(words[i].any_case ? HS_FLAG_CASELESS : 0u);
    ids.push_back(i);
  }
  hs_database_t* database = nullptr;
  hs_compile_error_t* error = nullptr;
  if (hs_compile_lit_multi(patterns.data(), flags.data(), ids.data(), lengths.data(), static_cast<unsigned>(words.size()),
                           HS_MODE_BLOCK, nullptr, &database, &error) != HS_SUCCESS) return 1;
  hs_scratch_t* scratch = nullptr;
  if (hs_alloc_scratch(database, &scratch) != HS_SUCCESS) return 1;
  std::size_t matches = 0;
  const auto on_match = [](unsigned, unsigned long long, unsigned long long, unsigned, void* sum) {
    ++*static_cast<std::size_t*>(sum);
    return 0;
  };
  const double theirs = gigabytes_a_second(text.size(), rounds, [&] {
    matches = 0;
    for (std::size_t at = 0; at < text.size(); at += kBlock) {
      const std::size_t size = std::min(kBlock, text.size() - at);
      hs_scan(database, text.data() + at, static_cast<unsigned>(size), 0, scratch, on_match, &matches);
    }
  });
  std::printf("{\"what\":\"vectorscan\",\"gb_s\":%.3f,\"matches\":%zu}\n", theirs, matches);
#endif
  return 0;
}
