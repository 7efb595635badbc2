// The word scanner: the same lines as a search for each word finds, whatever the words, the text and how it is cut.
#include <random>
#include <string>
#include <vector>

#include "core/scan/coloured.h"
#include "core/scan/word_scanner.h"
#include "test/check.h"
#include "test/naive_scan.h"

using namespace faultline;

namespace {

using Lines = std::vector<PlainLine>;

WordScanner scanner_of(const std::vector<ScanWord>& words, bool colours = false, unsigned lanes = WordFilter::kMostLanes) {
  auto scanner = WordScanner::make(words, colours, lanes);
  CHECK(scanner.has_value());
  return scanner ? std::move(*scanner) : *WordScanner::make({}, false);
}

Lines lines_of(const std::vector<ScanWord>& words, std::string_view text, bool colours = false) {
  return lines_by_scanner(scanner_of(words, colours), text, 1000);
}

void words() {
  checks::test("a line with a word is found wherever the word is", [] {
    for (std::size_t before = 0; before < 40; ++before) {
      for (std::size_t behind = 0; behind < 4; ++behind) {
        const std::string line = std::string(before, 'x') + "NVRM" + std::string(behind, 'y');
        CHECK(lines_of({{"NVRM"}}, "a\n" + line + "\nb") == (Lines{{2, line.size(), 1}}));
        CHECK(lines_of({{"NVRM"}}, line) == (Lines{{0, line.size(), 0}}));
      }
    }
  });
  checks::test("words of two and three bytes are found at every place", [] {
    for (std::size_t before = 0; before < 20; ++before) {
      const std::string bar = std::string(before, '7') + "%|";
      CHECK(lines_of({{"%|"}}, bar) == (Lines{{0, bar.size(), 0}}));
      CHECK(lines_of({{"%|"}}, "\n" + bar + "\n") == (Lines{{1, bar.size(), 1}}));
      const std::string rule = std::string(before, ' ') + "\xE2\x94\x81";
      CHECK(lines_of({{"\xE2\x94\x81"}}, rule + "\n") == (Lines{{0, rule.size(), 0}}));
    }
  });
  checks::test("case counts, but for words of any case", [] {
    CHECK(lines_of({{"Exit"}}, "exit\nEXIT\nExit").size() == 1);
    CHECK(lines_of({{"link down", true}}, "LINK DOWN\nLink Down\nlink  down").size() == 2);
    CHECK(lines_of({{"a@b"}}, "a`b").empty());
  });
  checks::test("a line with several words is found once, with its number", [] {
    CHECK(lines_of({{"error"}, {"BUG:"}}, "one\ntwo error BUG: error\n\nerror\n") == (Lines{{4, 20, 1}, {26, 5, 3}}));
  });
  checks::test("no words find nothing, and the newlines are counted", [] {
    std::vector<FoundLine> found;
    std::size_t newlines = 0;
    CHECK(scanner_of({}).scan("a\nb\n", 10, found, newlines) == 4);
    CHECK_EQ(newlines, std::size_t{2});
    CHECK(found.empty());
  });
  checks::test("words that no line can have, or that are too short, are refused", [] {
    CHECK(!WordScanner::make({{"a"}}, false).has_value());
    CHECK(!WordScanner::make({{"a\nb"}}, false).has_value());
    CHECK(!WordScanner::make({{std::string(300, 'a')}}, false).has_value());
  });
}

void colours() {
  checks::test("a word that colours break is found where colours are taken out", [] {
    for (const char* line : {"CUDA \x1b[31merror", "CUDA [31merror", "CUDA \x1b]8;;http://x\x07" "error", "CUDA \x1b" "Merror"}) {
      CHECK(lines_of({{"CUDA error"}}, line, true).size() == 1);
      CHECK(lines_of({{"CUDA error"}}, line, false).empty());
    }
  });
  checks::test("ordinary brackets are no colours", [] {
    for (const char* line : {"CUDA [12s]error", "CUDA [rank0m error", "CUDA 12m error", "CUDA [m error"}) {
      CHECK(lines_of({{"CUDA error"}}, line, true).empty());
    }
  });
  checks::test("newlines are counted in any length", [] {
    for (std::size_t length = 0; length < 9000; length += 37) CHECK_EQ(count_newlines(std::string(length, '\n') + "x"), length);
  });
}

// Few letters, so that words are there by chance.
std::string drawn(std::mt19937& random, std::size_t most, const std::string& letters) {
  std::string text(random() % (most + 1), ' ');
  for (char& c : text) c = letters[random() % letters.size()];
  return text;
}

void anything() {
  checks::test("drawn words in drawn texts: the lines of a plain search", [] {
    std::mt19937 random(20261129);
    const std::string letters = std::string("aAbB%|m01[;\x1b\n\n") + '\0' + "\xE2\x94";
    std::string wordLetters = letters;
    std::erase(wordLetters, '\n');
    for (int round = 0; round < 4000; ++round) {
      std::vector<ScanWord> words;
      for (std::size_t count = random() % 6; count > 0; --count) {
        std::string text = drawn(random, 6, wordLetters);
        if (text.size() >= WordScanner::kLeastWord) words.push_back({text, random() % 2 == 0});
      }
      const std::string text = drawn(random, 160, letters);
      const bool colours = random() % 2 == 0;
      const Lines wanted = lines_by_search(words, colours, text);
      for (const unsigned lanes : {1u, 16u, 32u, 64u}) CHECK(lines_by_scanner(scanner_of(words, colours, lanes), text, 1 + random() % 5) == wanted);
    }
  });
  checks::test("words where the pieces of a text meet, short ones and others, and in text that is not ASCII", [] {
    std::mt19937 random(20261201);
    const std::vector<ScanWord> words = {{"NVRM: Xid"}, {"link down", true}, {"%|"}, {"\xE2\x94\x81"}, {"oops"}};
    for (int round = 0; round < 300; ++round) {
      std::string text = drawn(random, 40, "x\n\xC3\xA9");
      while (text.size() < 2 * WordFilter::kPiece + 80) {
        // As close to the end of a piece as bytes come, whole lines before it or one line over several.
        const std::size_t rest = WordFilter::kPiece - text.size() % WordFilter::kPiece;
        text += std::string(rest > 80 ? rest - 80 + random() % 76 : random() % 200, random() % 3 == 0 ? '\n' : 'n');
        text += random() % 4 == 0 ? "LINK Down" : words[random() % words.size()].text;
        text += drawn(random, 6, "\n%|NV \xE2\x94");
      }
      const Lines wanted = lines_by_search(words, true, text);
      for (const unsigned lanes : {1u, 16u, 32u, 64u}) CHECK(lines_by_scanner(scanner_of(words, true, lanes), text, 1 + random() % 9) == wanted);
    }
  });
  checks::test("many words in a long text: the lines of a plain search", [] {
    std::mt19937 random(7);
    std::vector<ScanWord> words;
    for (int i = 0; i < 900; ++i) words.push_back({drawn(random, 12, "abcdefghijklmnopqrstuvwxyz :") + "word", random() % 4 == 0});
    std::string text;
    for (int i = 0; i < 3000; ++i) text += drawn(random, 120, "abcdefghijklmnopqrstuvwxyz 0123456789") + (i % 7 == 0 ? words[random() % 900].text : "") + "\n";
    const Lines found = lines_by_search(words, true, text);
    CHECK(found.size() > 300 && found.size() < 1500);
    for (const unsigned lanes : {1u, 16u, 32u, 64u}) CHECK(lines_by_scanner(scanner_of(words, true, lanes), text, 100) == found);
  });
}

}  // namespace

int main() {
  words();
  colours();
  anything();
  return checks::result();
}
