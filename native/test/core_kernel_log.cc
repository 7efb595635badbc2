// The kernel log: its form with hostile bytes, and a file followed through everything that happens to files.
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "core/kernel_log/kernel_log.h"
#include "core/kernel_log/kmsg.h"
#include "test/check.h"
#include "test/collecting_sink.h"
#include "test/temporary_folder.h"

using namespace faultline;

namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

void form() {
  checks::test("kmsg: a record of the kernel", [] {
    const auto record = parse_kmsg("3,339,5140900,-;NVRM: Xid (PCI:0000:9b:00): 79\n SUBSYSTEM=pci\n DEVICE=+pci:0000:9b:00.0\n");
    CHECK(record.has_value());
    if (!record) return;
    CHECK_EQ(record->priority, 3);
    CHECK_EQ(record->facility, 0);
    CHECK_EQ(record->sequence, 339u);
    CHECK_EQ(record->monotonic_ns, 5'140'900'000);
    CHECK_EQ(record->text, "NVRM: Xid (PCI:0000:9b:00): 79");
  });
  checks::test("kmsg: facility, further fields, semicolons in the text, an empty text", [] {
    const auto user = parse_kmsg("14,2,7,c,caller=T1,more;a;b");
    CHECK(user && user->facility == 1 && user->priority == 6 && user->text == "a;b");
    const auto bare = parse_kmsg("6,2,7;");
    CHECK(bare && bare->text.empty());
  });
  checks::test("kmsg: what is not in its form is refused", [] {
    for (const char* bad :
         {"", "\n", "text", "6,1,2,-", "6,1;x", ",1,2,-;x", "6,,2,-;x", "-6,1,2,-;x", "+6,1,2,-;x", " 6,1,2,-;x",
          "6,1,2x,-;x", "0x6,1,2,-;x", "6,99999999999999999999,2,-;x", "6,1,99999999999999999999,-;x",
          "6,1,9223372036854775807,-;x", "2048,1,2,-;x", "99999999999,1,2,-;x", "6,9007199254740993,2,-;x"}) {
      if (parse_kmsg(bad)) checks::report(false, __FILE__, __LINE__, bad);
    }
  });
  checks::test("kmsg: escapes and bytes that are not text", [] {
    CHECK_EQ(decode_kmsg_text("a\\x5cb\\x0ac\\x09d"), "a\\b\nc\td");
    CHECK_EQ(decode_kmsg_text("\\xc3\\xa9\xC3\xA9"), "\xC3\xA9\xC3\xA9");
    CHECK_EQ(decode_kmsg_text("\\x00\\x1b[31m"), std::string(kReplacement) + kReplacement + "[31m");
    CHECK_EQ(decode_kmsg_text("\\x\\x4\\xzz\\"), "\\x\\x4\\xzz\\");
    CHECK_EQ(decode_kmsg_text("end\\x4"), "end\\x4");
    CHECK_EQ(decode_kmsg_text("\xC3"), kReplacement);
    CHECK_EQ(decode_kmsg_text("\xC0\x80"), std::string(kReplacement) + kReplacement);           // overlong
    CHECK_EQ(decode_kmsg_text("\xED\xA0\x80").size(), 9u);                                      // a surrogate
    CHECK_EQ(decode_kmsg_text("\xF4\x90\x80\x80").size(), 12u);                                 // past U+10FFFF
    CHECK_EQ(decode_kmsg_text("\xF0\x9F\x94\xA5"), "\xF0\x9F\x94\xA5");
  });
  checks::test("kmsg: any bytes at all are survived, within bounds", [] {
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
      std::string bytes = i % 2 == 0 ? "6,1,2,-;" : "";
      const std::size_t size = random() % 200;
      for (std::size_t k = 0; k < size; ++k) {
        const unsigned pick = random() % 8;
        bytes += pick == 0 ? '\\' : pick == 1 ? 'x' : pick == 2 ? ',' : pick == 3 ? ';' : static_cast<char>(random());
      }
      const auto record = parse_kmsg(bytes);
      if (record) CHECK(record->text.size() <= bytes.size() * 3);
    }
    const auto huge = parse_kmsg("6,1,2,-;" + std::string(1'000'000, 'x'));
    CHECK(huge && huge->text.size() <= kMaxKmsgBytes);
  });
}

std::string line(int sequence, const std::string& text) {
  return "3," + std::to_string(sequence) + "," + std::to_string(sequence * 1000) + ",-;" + text + "\n";
}

void following() {
  checks::test("file: created after its folder, grown, cut, replaced, removed and there again", [] {
    TemporaryFolder folder;
    folder.write("keep", "");
    const auto sink = std::make_shared<CollectingSink>();
    const auto log = KernelLog::start(sink, {folder.path("kmsg"), false, false});
    const auto texts = [&](std::size_t count) {
      CHECK(sink->wait([&] { return sink->records().size() >= count; }));
      return sink->records().empty() ? std::string() : sink->records().back().text;
    };
    CHECK(sink->wait([&] { return sink->noticed("kernel_state", "absent"); }));
    folder.write("kmsg", line(1, "created"));
    CHECK_EQ(texts(1), "created");
    CHECK(sink->noticed("kernel_state", "works"));
    folder.write("kmsg", line(2, "grown") + " KEY=value\n14,3,5,-;by a user\n", true);
    CHECK_EQ(texts(2), "grown");
    folder.write("kmsg", "3,4,4000,-;hal", true);
    folder.write("kmsg", "ved\n", true);
    CHECK_EQ(texts(3), "halved");
    folder.write("kmsg", "3,5,1,-;cut\n");
    CHECK_EQ(texts(4), "cut");
    folder.write("new", line(6, "replaced"));
    std::filesystem::rename(folder.path("new"), folder.path("kmsg"));
    CHECK_EQ(texts(5), "replaced");
    std::filesystem::remove(folder.path("kmsg"));
    CHECK(sink->wait([&] { return sink->notices().back().name == "absent"; }));
    folder.write("kmsg", line(7, "again"));
    CHECK_EQ(texts(6), "again");
    CHECK_EQ(sink->records().size(), 6u);
    CHECK_EQ(sink->notices().size(), 4u);
    log->stop();
    log->stop();
  });
  checks::test("file: what was there is read only when asked; garbage is counted", [] {
    TemporaryFolder folder;
    folder.write("kmsg", line(1, "old") + "garbage\n" + std::string(20'000, 'y') + "\n" + std::string("\0\xff\n", 3));
    const auto from_start = std::make_shared<CollectingSink>();
    const auto from_end = std::make_shared<CollectingSink>();
    const auto first = KernelLog::start(from_start, {folder.path("kmsg"), true, true});
    const auto second = KernelLog::start(from_end, {folder.path("kmsg"), true, false});
    for (const auto& sink : {from_start, from_end}) {
      CHECK(sink->wait([&] { return sink->noticed("kernel_state", "works"); }));
    }
    folder.write("kmsg", "14,2,1,-;new\n", true);
    for (const auto& sink : {from_start, from_end}) {
      CHECK(sink->wait([&] { return !sink->records().empty() && sink->records().back().text == "new"; }));
    }
    CHECK_EQ(from_start->records().size(), 2u);
    CHECK_EQ(from_start->records()[0].text, "old");
    CHECK_EQ(from_end->records().size(), 1u);
    CHECK_EQ(first->malformed(), 3u);
    CHECK_EQ(second->malformed(), 0u);
    first->stop();
    second->stop();
  });
  checks::test("file: holes of a tebibyte are passed over, before and after a record", [] {
    TemporaryFolder folder;
    constexpr std::uintmax_t kTebibyte = std::uintmax_t{1} << 40;
    folder.write("kmsg", line(1, "before"));
    const auto sink = std::make_shared<CollectingSink>();
    const auto log = KernelLog::start(sink, {folder.path("kmsg"), false, true});
    CHECK(sink->wait([&] { return sink->records().size() == 1; }));
    std::filesystem::resize_file(folder.path("kmsg"), kTebibyte);
    folder.write("kmsg", line(2, "between"), true);
    CHECK(sink->wait([&] { return sink->records().size() == 2; }));
    std::filesystem::resize_file(folder.path("kmsg"), 2 * kTebibyte);
    folder.write("kmsg", "half a line, of which the file system keeps the zeros before it\n" + line(3, "after"), true);
    CHECK(sink->wait([&] { return sink->records().size() == 3; }));
    CHECK_EQ(sink->records().back().text, "after");
    log->stop();
  });
  checks::test("file: of one that grew by more than can be read in time the newest is read, and the gap is reported", [] {
    TemporaryFolder folder;
    folder.write("kmsg", line(1, "first"));
    const auto sink = std::make_shared<CollectingSink>();
    const auto log = KernelLog::start(sink, {folder.path("kmsg"), false, true});
    CHECK(sink->wait([&] { return sink->records().size() == 1; }));
    // One write, so that the reader meets it at once: 300 MiB of a line that nothing ends.
    folder.write("new", line(1, "first") + std::string(std::size_t{300} * 1024 * 1024, 'x') + "\n" + line(9, "newest"));
    std::filesystem::rename(folder.path("new"), folder.path("kmsg"));
    CHECK(sink->wait([&] { return sink->records().back().text == "newest"; }));
    CHECK(sink->noticed("kernel_overrun", ""));
    log->stop();
  });
  checks::test("file: a folder is not a log, and is reported as that", [] {
    TemporaryFolder folder;
    const auto sink = std::make_shared<CollectingSink>();
    const auto log = KernelLog::start(sink, {folder.root(), false, true});
    CHECK(sink->wait([&] { return sink->noticed("kernel_state", "absent"); }));
    log->stop();
  });
  checks::test("a reader that is stopped lets go of its sink", [] {
    TemporaryFolder folder;
    std::weak_ptr<CollectingSink> gone;
    {
      const auto sink = std::make_shared<CollectingSink>();
      gone = sink;
      KernelLog::start(sink, {folder.path("kmsg"), false, true})->stop();
    }
    while (!gone.expired()) std::this_thread::yield();  // the test's own time limit ends a reader that never does
    CHECK(gone.expired());
  });
}

void overruns() {
  checks::test("overrun: lost records are counted by the gap in the sequence", [] {
    CollectingSink sink;
    StopSignal stop;
    KernelIntake intake(sink, stop, false);
    intake.record("6,10,1,-;a");
    intake.overrun();
    intake.record("6,15,2,-;b");
    CHECK_EQ(sink.notices().size(), 1u);
    CHECK_EQ(sink.notices()[0].type, "kernel_overrun");
    CHECK_EQ(sink.notices()[0].value, 4.0);
    intake.record("6,90,2,-;a gap without an overrun is none");
    CHECK_EQ(sink.notices().size(), 1u);
    CHECK_EQ(sink.records().size(), 3u);
  });
}

}  // namespace

int main() {
  form();
  following();
  overruns();
  return checks::result();
}
