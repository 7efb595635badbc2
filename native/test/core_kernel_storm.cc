// Storms in the kernel log: which lines are of one shape, that news comes through at once, and that every line is counted.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/event_queue.h"
#include "core/kernel_log/intake.h"
#include "core/kernel_log/kmsg.h"
#include "core/kernel_log/line_shape.h"
#include "core/kernel_log/storm_folder.h"
#include "test/check.h"
#include "test/collecting_sink.h"

using namespace faultline;

namespace {

using Speaker = LineShape::Speaker;
constexpr std::int64_t kSecond = 1'000'000'000;
const std::string kLost = "NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.";

bool same(const std::string& one, const std::string& other) {
  const LineShape a = line_shape(one), b = line_shape(other);
  return a.speaker == b.speaker && a.key == b.key;
}

std::string crash(int i) {
  return "p" + std::to_string(i * 7919) + "[" + std::to_string(i) + "]: segfault at " + std::to_string(i) +
         " ip 1 sp 2 error 4 in lib" + std::to_string(i) + ".so[7f0+1]";
}

void shapes() {
  checks::test("shape: numbers do not matter, the device and its XID do", [] {
    const std::string xid = "NVRM: Xid (PCI:0000:61:00): 45, pid=1234, name=train, Ch 0000000a";
    CHECK(same(xid, "NVRM: Xid (PCI:0000:61:00): 45, pid=99, name=other, Ch 0000000b"));
    CHECK(!same(xid, "NVRM: Xid (PCI:0000:62:00): 45, pid=1234, name=train, Ch 0000000a"));
    CHECK(!same(xid, "NVRM: Xid (PCI:0000:61:00): 43, pid=1234, name=train, Ch 0000000a"));
    CHECK(!same("I/O error, dev nvme0n1, sector 77", "I/O error, dev nvme1n1, sector 77"));
    CHECK(same("I/O error, dev nvme0n1, sector 77", "I/O error, dev nvme0n1, sector 78"));
    const std::string link = "NVRM: Xid (PCI:0000:61:00): 74, pid=1, name=x, NVLink: fatal error detected on link ";
    CHECK(!same(link + "1", link + "2"));
  });
  checks::test("shape: text that a user chose makes no shape", [] {
    CHECK(same(crash(1), crash(2)));
    CHECK(line_shape(crash(1)).speaker == Speaker::user);
    for (const char* name : {"NVRM: Xid: 79, ", "\xEF\xBF\xBD\xEF\xBF\xBD", "", "a[1]"}) {
      CHECK(same(std::string(name) + "[77]: segfault at 0 ip 1", "x[5]: segfault at 9 ip 3"));
    }
    CHECK(line_shape("x (7): drop_caches: 3").speaker == Speaker::user);
    CHECK(line_shape("traps: x[7] general protection fault ip:1").speaker == Speaker::user);
    CHECK(same("Out of memory: Killed process 1 (a) total-vm:1kB", "Out of memory: Killed process 2 (b) total-vm:9kB"));
    CHECK(same("NVRM: API mismatch: the client has the version a", "NVRM: API mismatch: the client has the version b"));
    CHECK(same("EXT4-fs error (device sda1): f:1: inode #2: comm a: x", "EXT4-fs error (device sda1): g:7: inode #9: comm b: y"));
    CHECK(same("NVRM: Xid (PCI:0000:61:00): 13, pid=1, name=a, b, Graphics", "NVRM: Xid (PCI:0000:61:00): 13, pid=1, name=cde, Graphics"));
  });
  checks::test("shape: drivers are told apart from all others", [] {
    CHECK(line_shape(kLost).speaker == Speaker::xid);
    for (const char* line : {"NVRM: Xid: 79, GPU has fallen off the bus.", "NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus.",
                             "nvidia-nvswitch10: SXid (PCI:0000:06:00.0): 20034, Fatal", "mlx5_cmd_exec:1:(pid 1): x",
                             "BTRFS info (device sda1: state E): forced readonly", "Lustre: a-OST1: Connection to a-OST1 (at 1@tcp) was lost",
                             "{12}[Hardware Error]:   section_type: memory error", "[Hardware Error]: event severity: fatal", "LustreError: 167-0: a: This client was evicted",
                             "Lustre: 4321:0:(client.c:2289:f()) @@@ Request sent has timed out", "wekafsio: ALL FEs down", "nvme0n1: Read(0x2) @ LBA 1, 8 blocks, x",
                             "libceph: mon1 10.3.0.5:6789 session lost", "ceph: mds0 hung", "NETDEV WATCHDOG: eth2 (igb): x", "thermal thermal_zone4: critical",
                             "NVRM: _issueRpc: Back to back GSP RPC timeout detected!", "pcieport 0000:16:00.0: DPC: x", "e1000e 0000:00:1f.6 eth0: Link", "mce: CPU2: x", "CPU5: Core"}) {
      CHECK(line_shape(line).speaker == Speaker::driver);
    }
    for (const char* line : {"usb 1-1: Product: x", "CPU: 5 PID: 1 Comm: x", "", "input: x as y", "mlx5_abc: renamed from mlx5_def", "nvidiaabc: entered promiscuous mode",
                             "wekafsio: renamed from fe", "ceph: renamed from mds", "libceph: renamed from mon", "nvme0n1: renamed from x", "LustreError: renamed from y",
                             "NVRM: renamed from Xid", "mce: renamed from x", "BTRFS: renamed from y", "CPU1: renamed from x", "nvidia: renamed from y"}) {
      CHECK(line_shape(line).speaker == Speaker::other);
    }
  });
}

struct Tried {
  std::uint64_t handed = 0, counted = 0, lost_gpu = 0, others = 0;
};

// A storm of ten seconds at 25,000 lines a second, a lost GPU and, unless `alone`, one calm line of another driver in its middle.
Tried storm(const std::function<std::string(int)>& line, bool alone = false) {
  Tried tried;
  StormFolder folder([&](KernelRecord record) {
    ++tried.handed;
    if (record.text == kLost) {
      tried.lost_gpu += 1 + record.repeats;
    } else if (record.text == "EDAC MC0: 1 CE Cannot decode") {
      tried.others += 1 + record.repeats;
    } else {
      tried.counted += 1 + record.repeats;
    }
  });
  const auto say = [&](const std::string& text, std::int64_t at) {
    KernelRecord record;
    record.text = text;
    folder.take(std::move(record), false, at);
  };
  std::int64_t now = 5 * kSecond;
  for (int i = 0; i < 250'000; ++i) {
    now += 40'000;
    say(line(i), now);
    if (i != 125'000) continue;
    say(kLost, now);
    CHECK_EQ(tried.lost_gpu, 1u);  // at once
    if (alone) continue;
    say("EDAC MC0: 1 CE Cannot decode", now);
    CHECK_EQ(tried.others, 1u);
  }
  for (int i = 0; i < 4; ++i) folder.settle(now += kSecond);
  CHECK(!folder.waiting());
  CHECK_EQ(tried.counted, 250'000u);
  CHECK_EQ(tried.lost_gpu, 1u);
  CHECK_EQ(tried.others, alone ? 0u : 1u);
  return tried;
}

void storms() {
  checks::test("storm: the same line, numbers that vary, crashes of distinct processes", [] {
    CHECK(storm([](int) { return std::string("pcieport 0000:16:00.0: PCIe Bus Error: severity=Corrected"); }).handed < 500);
    CHECK(storm([](int i) { return "NVRM: Xid (PCI:0000:61:00): 45, pid=" + std::to_string(i) + ", name=x, Ch " + std::to_string(i); }).handed < 500);
    CHECK(storm(crash).handed < 1000);
    CHECK(storm([](int i) { return "NVRM: Xid:" + crash(i).substr(crash(i).find('[')); }).handed < 1000);
  });
  checks::test("storm: no two lines alike", [] {
    const Tried tried = storm([](int i) {
      std::string name;
      for (int rest = i; rest > 0; rest /= 26) name += static_cast<char>('a' + rest % 26);
      return "input: " + name + " as /devices";
    });
    CHECK(tried.handed < 12'000);
  });
  checks::test("storm: interfaces whose names read like drivers, XIDs in ever other words, drivers that say news without end", [] {
    const auto word = [](int i) {
      std::string name;
      for (int rest = i + 1; rest > 0; rest /= 26) name += static_cast<char>('a' + rest % 26);
      return name;
    };
    CHECK(storm([&](int i) { return "mlx5_" + word(i) + ": renamed from nvidia" + word(i); }).handed < 12'000);
    CHECK(storm([&](int i) { return "NVRM: renamed from " + word(i); }).handed < 12'000);
    CHECK(storm([&](int i) { return "NVRM: Xid (PCI:0000:61:00): 13, pid=1, name=link " + word(i) + ", Graphics " + word(i); }).handed < 500);
    CHECK(storm([&](int i) { return "pcieport 0000:16:00.0: " + word(i); }, true).handed < 20'000);
  });
  checks::test("storm: what is calm comes through as it is", [] {
    std::vector<KernelRecord> handed;
    StormFolder folder([&](KernelRecord record) { handed.push_back(std::move(record)); });
    for (int i = 0; i < 200; ++i) {
      KernelRecord record;
      record.text = crash(i);
      folder.take(std::move(record), false, i * kSecond);
    }
    CHECK_EQ(handed.size(), 200u);
    for (const KernelRecord& record : handed) CHECK_EQ(record.repeats, 0u);
    CHECK_EQ(folder.folded(), 0u);
  });
}

void left_out() {
  checks::test("intake: a line without a word of any rule is counted and not handed over", [] {
    CollectingSink sink;
    StopSignal stop;
    KernelIntake intake(sink, stop, false, true, std::make_shared<const WordScanner>(*WordScanner::make({{"NVRM"}}, false)));
    intake.record("6,1,1,-;usb 1-1: Product: x");
    intake.record("3,2,1,-;NVRM: loading");
    intake.record("6,3,1,-;IN=eth0 OUT= MAC=x SRC=10.0.0.1");
    const KernelLogCounts counts = intake.counts();
    CHECK_EQ(sink.records().size(), 1u);
    CHECK_EQ(counts.handed, 1u);
    CHECK_EQ(counts.passed, 2u);
    intake.overrun();
    intake.record("6,9,1,-;usb 1-1: Product: y");
    CHECK_EQ(sink.notices().size(), 1u);  // what was lost is known from lines that are passed, too
  });
  checks::test("intake: of a burst of 474,000 lines in a moment every one that repeats none is handed over", [] {
    CollectingSink sink;
    StopSignal stop;
    KernelIntake intake(sink, stop, false, true, std::make_shared<const WordScanner>(*WordScanner::make({{"NVRM"}, {"nvme"}}, false)));
    std::map<std::string, int> wanted;
    for (int i = 0; i < 474'000; ++i) {
      char text[160];
      if (i % 3 == 0) {
        std::snprintf(text, sizeof text, "audit: type=%d audit(1:%d)", i, i);
      } else if (i % 400 == 1) {
        const int gpu = (i / 400) % 16, link = (i / 6400) % 18;
        std::snprintf(text, sizeof text, "NVRM: Xid (PCI:0000:%02x:00): 74, pid=%d, name=x, NVLink: fatal error detected on link %d(0x0)", gpu, i, link);
        ++wanted[std::string(text).substr(0, 30) + std::to_string(link)];
      } else {
        std::snprintf(text, sizeof text, "nvme nvme%d: I/O %d QID 12 timeout, aborting", i % 8, i);
        ++wanted[std::string(text).substr(0, 10)];
      }
      intake.record("3," + std::to_string(i) + ",1,-;" + text);
    }
    std::map<std::string, int> handed;
    for (const KernelRecord& record : sink.records()) {
      const std::size_t link = record.text.find("link ");
      const bool xid = link != std::string::npos;
      ++handed[xid ? record.text.substr(0, 30) + std::to_string(std::atoi(record.text.c_str() + link + 5)) : record.text.substr(0, 10)];
    }
    CHECK(wanted.size() > 190);
    CHECK_EQ(handed.size(), wanted.size());
    const KernelLogCounts counts = intake.counts();
    CHECK_EQ(counts.passed, 158'000u);
    CHECK_EQ(counts.handed + counts.folded, 316'000u);
    CHECK(counts.handed < EventQueue::kMaxEvents);
  });
  checks::test("intake: lines of users and pieces of lines are counted and not handed over", [] {
    CollectingSink sink;
    StopSignal stop;
    KernelIntake intake(sink, stop, false, true);
    intake.record("3,1,1,-;NVRM: of the kernel");
    intake.record("11,2,1,-;NVRM: of a user");
    intake.record("3,3,1,c;NVRM: a cpuset's name, from the middle of a line");
    intake.record("3,4,1,+;NVRM: the same in old kernels");
    intake.record("3,5,1,-,caller=T1;a caller is not a flag");
    intake.record("Nov 28 12:00:00 node-a kernel: NVRM: a line of a syslog file");
    const KernelLogCounts counts = intake.counts();
    CHECK_EQ(sink.records().size(), 2u);
    CHECK_EQ(counts.handed, 2u);
    CHECK_EQ(counts.user_lines, 1u);
    CHECK_EQ(counts.fragments, 2u);
    CHECK_EQ(counts.malformed, 1u);
  });
}

}  // namespace

int main() {
  shapes();
  storms();
  left_out();
  return checks::result();
}
