// The kernel log by syslog(2): what is new in a text that is read again and again, against a log that is overwritten and emptied.
#include <cerrno>
#include <random>
#include <string>
#include <vector>

#include "core/kernel_log/kmsg.h"
#include "core/kernel_log/ring.h"
#include "test/check.h"

using namespace faultline;

namespace {

// A log of at most `room` bytes of text, whole lines, as the kernel gives it: the newest that fit.
struct Log {
  std::size_t room = 64 * 1024;
  std::string text;
  std::size_t cleared = 0;
  int error = 0;
  int calls = 0;

  void say(const std::string& line) { text += line + "\n"; }
  int call(int action, char* buffer, int size) {
    ++calls;
    if (error != 0) {
      errno = error;
      return -1;
    }
    if (action == 10) return static_cast<int>(room / 2);
    std::string all = text.substr(cleared);
    const std::size_t most = std::min(room, static_cast<std::size_t>(size));
    while (all.size() > most) all.erase(0, all.find('\n') + 1);
    all.copy(buffer, all.size());
    return static_cast<int>(all.size());
  }
};

struct Reader {
  explicit Reader(Log& log) : ring([&log](int action, char* buffer, int size) { return log.call(action, buffer, size); }) {}
  std::vector<std::string> read() {
    std::vector<std::string> texts;
    CHECK_EQ(ring.read(
                 [&](std::string_view raw) {
                   const auto record = parse_kmsg(raw);
                   CHECK(record.has_value());
                   if (record) texts.push_back(record->text);
                 },
                 [&] { ++overruns; }),
             0);
    return texts;
  }
  KernelRing ring;
  int overruns = 0;
};

using Texts = std::vector<std::string>;

std::string timed(int second, const std::string& text) { return "<6>[" + std::to_string(second) + ".000001] " + text; }

void form() {
  checks::test("ring: a line becomes a record of the device", [] {
    std::uint64_t time_us = 0;
    const auto line = [&](const char* text) { return ring_line_to_kmsg(text, 7, time_us); };
    CHECK_EQ(line("<3>[   12.345678] NVRM: Xid (PCI:0000:9b:00): 79"), "3,7,12345678,-;NVRM: Xid (PCI:0000:9b:00): 79");
    CHECK_EQ(line("<14>[    0.000000][  T123] a; b"), "14,7,0,-;a; b");
    CHECK_EQ(line("<4>[123456.000001][    C5] x\\y\x01"), "4,7,123456000001,-;x\\x5cy\\x01");
    time_us = 5;
    CHECK_EQ(line("<6>without a time"), "6,7,5,-;without a time");
    CHECK_EQ(line("<6>[drm] not a time"), "6,7,5,-;[drm] not a time");
    CHECK_EQ(line("<6>[   12.34] nor this"), "6,7,5,-;[   12.34] nor this");
    for (const char* bad : {"", "x", "<", "<>x", "<x>y", "<6", "<99999>x", "<-1>x"}) CHECK_EQ(line(bad), "");
  });
  checks::test("ring: facility stays, so that a user's line does not pass for the kernel's", [] {
    std::uint64_t time_us = 0;
    const auto record = parse_kmsg(ring_line_to_kmsg("<14>[   1.000000] NVRM: Xid", 0, time_us));
    CHECK(record && record->facility == 1 && record->text == "NVRM: Xid");
  });
}

void news() {
  checks::test("ring: what was there before is not news, and each line comes once", [] {
    Log log;
    log.say(timed(1, "old"));
    Reader reader(log);
    CHECK_EQ(reader.ring.open(false), 0);
    CHECK(reader.read().empty());
    log.say(timed(2, "a"));
    log.say(timed(2, "b"));
    CHECK(reader.read() == (Texts{"a", "b"}));
    CHECK(reader.read().empty());
    log.say(timed(2, "b"));  // word by word what came last, at the same time
    CHECK(reader.read() == (Texts{"b"}));
    CHECK_EQ(reader.overruns, 0);
  });
  checks::test("ring: from the start, all of it", [] {
    Log log;
    log.say(timed(1, "old"));
    Reader reader(log);
    CHECK_EQ(reader.ring.open(true), 0);
    CHECK(reader.read() == (Texts{"old"}));
  });
  checks::test("ring: an empty log, and its first line", [] {
    Log log;
    Reader reader(log);
    CHECK_EQ(reader.ring.open(false), 0);
    CHECK(reader.read().empty());
    log.say(timed(1, "first"));
    CHECK(reader.read() == (Texts{"first"}));
  });
  checks::test("ring: more than the end of the log that is read as a rule", [] {
    Log log;
    Reader reader(log);
    log.say(timed(1, "old"));
    CHECK_EQ(reader.ring.open(false), 0);
    for (int i = 0; i < 1000; ++i) log.say(timed(2, "a line of some length, number " + std::to_string(i)));
    const Texts texts = reader.read();
    CHECK_EQ(texts.size(), 1000u);
    CHECK_EQ(reader.overruns, 0);
  });
  checks::test("ring: lines that were overwritten are said to be lost", [] {
    Log log;
    Reader reader(log);
    log.say(timed(1, "old"));
    CHECK_EQ(reader.ring.open(false), 0);
    for (int i = 0; i < 5000; ++i) log.say(timed(2, "a line of some length, number " + std::to_string(i)));
    const Texts texts = reader.read();
    CHECK(texts.size() > 1000 && texts.size() < 5000 && texts.back() == "a line of some length, number 4999");
    CHECK_EQ(reader.overruns, 1);
    log.say(timed(3, "next"));
    CHECK(reader.read() == (Texts{"next"}));
    CHECK_EQ(reader.overruns, 1);
  });
  checks::test("ring: after dmesg --clear only what is new comes, and nothing is lost", [] {
    Log log;
    Reader reader(log);
    log.say(timed(5, "old"));
    CHECK_EQ(reader.ring.open(false), 0);
    log.cleared = log.text.size();
    CHECK(reader.read().empty());
    log.say(timed(6, "new"));
    CHECK(reader.read() == (Texts{"new"}));
    CHECK_EQ(reader.overruns, 0);
  });
  checks::test("ring: whatever is said between two readings, each line comes once and in order", [] {
    std::mt19937 random(1);
    for (int round = 0; round < 100; ++round) {
      Log log;
      Reader reader(log);
      CHECK_EQ(reader.ring.open(random() % 2 == 0), 0);
      int said = 0;
      int seen = 0;
      for (int look = 0; look < 30; ++look) {
        for (unsigned more = random() % 6; more > 0; --more) log.say(timed(said, std::to_string(said) + std::string(random() % 400, '<'))), ++said;
        for (const std::string& text : reader.read()) CHECK_EQ(std::stoi(text), seen++);
      }
      CHECK_EQ(seen, said);
    }
  });
  checks::test("ring: refused, then allowed", [] {
    Log log;
    log.error = EPERM;
    Reader reader(log);
    CHECK_EQ(reader.ring.open(false), EPERM);
    log.error = 0;
    CHECK_EQ(reader.ring.open(false), 0);
    log.error = EPERM;
    CHECK_EQ(reader.ring.read([](std::string_view) {}, [] {}), EPERM);
  });
}

}  // namespace

int main() {
  form();
  news();
  return checks::result();
}
