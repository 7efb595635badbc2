// Memory given back: only what nothing can be lost from, by the kernel's own account, and this program continues.
#include <fstream>
#include <string>

#include "core/files/mapped_text.h"
#include "core/footprint.h"
#include "test/check.h"
#include "test/temporary_folder.h"

using namespace faultline;

namespace {

std::string entry(const std::string& head, const std::string& anonymous) {
  return head + "\nSize:                 64 kB\nRss:                  64 kB\n" + anonymous + "VmFlags: rd mr mw me\n";
}

const std::string kNone = "Anonymous:             0 kB\n";
const std::string kText = "00b72000-0262e000 r-xp 00772000 fe:00 1234                              /usr/bin/node";

// A cache of the page that this program's own code lies on does not count: only how much is mapped.
long resident_file_kib() {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("RssFile:")) return std::stol(line.substr(8));
  }
  return -1;
}

}  // namespace

int main() {
  checks::test("text and constants of a file are found, with their range", [] {
    const auto found = only_read_mappings(entry(kText, kNone) + entry("02601000-05301000 r--p 02201000 fe:00 1234 /n", kNone));
    CHECK_EQ(found.size(), 2u);
    CHECK_EQ(found[0].begin, 0xb72000u);
    CHECK_EQ(found[0].end, 0x262e000u);
    CHECK_EQ(found[1].begin, 0x2601000u);
  });
  checks::test("what has a page of its own is left alone: relocated, written by a debugger, or huge pages", [] {
    CHECK(only_read_mappings(entry(kText, "Anonymous:             4 kB\n")).empty());
  });
  checks::test("where the kernel does not say what is unused, nothing is given back", [] { CHECK(only_read_mappings(entry(kText, "")).empty()); });
  checks::test("an entry without the field does not take that of the next one", [] {
    const std::string writable = entry("0563e000-0565c000 rw-p 0523d000 fe:00 1234 /usr/bin/node", kNone);
    CHECK(only_read_mappings(entry(kText, "") + writable).empty());
  });
  checks::test("writable, shared and unreadable mappings and those without a file are left out", [] {
    for (const char* head : {"7f00-7f10 rw-p 00000000 fe:00 12 /n", "7f00-7f10 r--s 00000000 fe:00 12 /n",
                             "7f00-7f10 ---p 00000000 fe:00 12 /n", "7f00-7f10 r-xp 00000000 00:00 0",
                             "7f00-7f10 r-xp 00000000 00:00 0                          [vdso]"}) {
      CHECK(only_read_mappings(entry(head, kNone)).empty());
    }
  });
  checks::test("a text that is cut short or empty gives no mappings", [] {
    for (std::size_t length = 0; length < kText.size(); ++length) CHECK(only_read_mappings(kText.substr(0, length)).empty());
    for (const char* text : {"\n\n", "-", "7f00-", "7f00-7f10", "7f00-7f10 ", "7f00-7f10 r-xp", "7f00-7f10 r-xp  ", "zz"}) {
      CHECK(only_read_mappings(std::string(text) + "\n" + kNone).empty());
    }
  });
  checks::test("this program lets go of what it only read, and continues", [] {
    keep_malloc_small();
    const long before = resident_file_kib();
    CHECK(give_back_memory() > 0);
    CHECK(resident_file_kib() < before);
    CHECK(give_back_memory() > 0);
  });
  checks::test("the text of a file is mapped with what goes around it, whatever its size, and is the same once it was let go of", [] {
    const TemporaryFolder folder;
    for (const std::size_t size : {1u, 4094u, 4095u, 4096u, 4097u, 300'000u}) {
      const std::string path = folder.path("text");
      std::string content(size, 'x');
      for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>('a' + i * i % 23);
      std::ofstream(path) << content;
      const auto mapped = MappedText::of(path.c_str(), "(before ", "\nbehind)");
      CHECK(mapped != nullptr);
      CHECK_EQ(std::string(mapped->text()), "(before " + content + "\nbehind)");
      CHECK_EQ(give_back_texts(), size / 4096 * 4096);
      CHECK_EQ(std::string(mapped->text()), "(before " + content + "\nbehind)");
      std::remove(path.c_str());
    }
    CHECK_EQ(give_back_texts(), 0u);
  });
  checks::test("neither a folder nor an empty file is mapped", [] {
    const TemporaryFolder folder;
    const std::string empty = folder.path("empty");
    std::ofstream{empty};
    for (const std::string& path : {empty, folder.root(), folder.path("none"), std::string("/dev/null")})
      CHECK(MappedText::of(path.c_str(), "(", ")") == nullptr);
    CHECK(MappedText::of("/proc/self/exe", std::string(100'000, ' '), ")") == nullptr);
  });
  return checks::result();
}
