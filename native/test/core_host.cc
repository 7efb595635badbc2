// What procfs says of a host: the parsers against real and hostile text, and a file that hangs.
#include "core/host/host_figures.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <random>
#include <thread>

#include "check.h"
#include "core/host/text_scan.h"
#include "temporary_folder.h"

using namespace faultline;
using checks::test;

namespace {

using namespace std::chrono_literals;

const std::string kStat = "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4\nintr 5 0\nbtime 1764000000\nprocs_blocked 3\n";
const std::string kMeminfo = "MemTotal:       1000 kB\nMemAvailable:    400 kB\nShmem:             8 kB\n";
const std::string kPressure = "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=6\n";
const std::string kDisk = "   8       0 sda 1 0 100 3 4 0 200 5 0 30 7 0 0 0 0 0 0\n";
const std::string kNetwork = "Inter-| Receive\n face |bytes\n  eth0: 10 1 2 3 0 0 0 0 40 1 6 7 0 0 0 0\n";

bool all(const std::string&) { return true; }

void parses() {
  CHECK_EQ(cpu_ticks(kStat)[3], 4.0);
  CHECK_EQ(cpu_ticks(kStat)[7], 8.0);
  CHECK_EQ(cpu_ticks("cpu 1 2 3 4\n")[7], 0.0);
  CHECK_EQ(labelled(kStat, "btime "), 1764000000.0);
  CHECK_EQ(labelled(kStat, "procs_blocked "), 3.0);
  CHECK_EQ(labelled(kMeminfo, "MemAvailable:"), 400.0);
  CHECK_EQ(pressure_of(kPressure)[0], 5.0);
  CHECK_EQ(pressure_of(kPressure)[1], 6.0);
  CHECK_EQ(load_of("3.25 1.00 0.50 2/345 6789\n"), 3.25);
  const auto disks = disks_of(kDisk, all);
  CHECK_EQ(disks.size(), std::size_t{1});
  CHECK_EQ(disks[0].name, std::string("sda"));
  CHECK(disks[0].values == (std::array<double, 3>{100, 200, 30}));
  const auto interfaces = interfaces_of(kNetwork, all);
  CHECK_EQ(interfaces.size(), std::size_t{1});
  CHECK(interfaces[0].values == (std::array<double, 6>{10, 2, 3, 40, 6, 7}));
}

void refuses() {
  CHECK(std::isnan(cpu_ticks("cpu  1 2 3 4x 5 6 7 8\n")[3]));
  CHECK(std::isnan(cpu_ticks("cpu  1 2 3 -4 5 6 7 8\n")[3]));
  CHECK(std::isnan(labelled("btime " + std::string(21, '9') + "\n", "btime ")));
  CHECK(std::isnan(labelled("MemAvailable: 1.5 kB\n", "MemAvailable:")));
  CHECK(std::isnan(pressure_of("some avg10=1.00\nfull avg10=1 total=7\n")[0]));
  for (const char* odd : {"", "nan 0 0", "-1 0 0", "1e999 0", "Infinity 0 0", "99999999999999 0", "0x1 0", "1.5"}) {
    CHECK(std::isnan(load_of(odd)));
  }
  CHECK(disks_of("8 0 sda 1 0 100\n8 0\n\n8 0 sdb", all).empty());
  CHECK(interfaces_of("eth0 1 2\n: 1 2 3\n   \neth1: 1 2 3\n", all).empty());
  int asked = 0;
  std::string many;
  for (int i = 0; i < 10'000; ++i) many += "eth0: 1 2 3 4 5 6 7 8 9 10 11 12\n";
  interfaces_of(many, [&](const std::string&) { return ++asked < 0; });
  CHECK_EQ(asked, 4096);
}

// Real files with pieces cut out, doubled or replaced by anything.
void survives() {
  std::mt19937 random(7);
  const std::string* files[] = {&kStat, &kMeminfo, &kPressure, &kDisk, &kNetwork};
  for (int run = 0; run < 20'000; ++run) {
    std::string text = *files[random() % 5];
    const std::size_t at = random() % text.size();
    std::string put;
    for (std::size_t i = random() % 30; i > 0; --i) put.push_back(static_cast<char>(random()));
    text.replace(at, random() % 40, put);
    std::vector<double> numbers{labelled(text, "btime "), labelled(text, "MemTotal:"), load_of(text)};
    for (const double one : cpu_ticks(text)) numbers.push_back(one);
    for (const double one : pressure_of(text)) numbers.push_back(one);
    for (const auto& one : disks_of(text, all)) numbers.insert(numbers.end(), one.values.begin(), one.values.end());
    for (const auto& one : interfaces_of(text, all)) numbers.insert(numbers.end(), one.values.begin(), one.values.end());
    for (const double one : numbers) {
      if (!std::isnan(one) && !(one >= 0 && std::isfinite(one))) CHECK(one >= 0 && std::isfinite(one));
    }
  }
}

void devices() {
  TemporaryFolder sys;
  sys.write("block/cciss!c0d0/device/x", "");
  sys.write("outside/device/x", "");
  sys.write("devices/0000:9b:00.0/x", "");
  sys.write("class/net/vf/device/physfn/x", "");
  std::filesystem::create_directories(sys.path("class/net/eth0"));
  std::filesystem::create_symlink(sys.path("devices/0000:9b:00.0"), sys.path("class/net/eth0/device"));
  PhysicalDevices physical(sys.root());
  CHECK(physical.is_disk("cciss/c0d0"));
  CHECK(physical.interface_device("eth0").ends_with("/devices/0000:9b:00.0"));
  CHECK(physical.interface_device("vf").empty());
  for (const std::string& name : {std::string(".."), std::string("."), std::string("../outside"),
                                  std::string("../../outside"), std::string("a\0b", 3), std::string(65, 'x'), std::string()}) {
    CHECK(!physical.is_disk(name));
    CHECK(physical.interface_device(name).empty());
  }
}

// Reads of one file wait until they are let go.
struct StuckFiles final : ProcessFiles {
  int read(const std::string& path, std::size_t most, std::string& text) const override {
    if (path.ends_with("/meminfo")) {
      while (!free) std::this_thread::sleep_for(1ms);
      done = true;
    }
    return ProcessFiles::read(path, most, text);
  }
  static inline std::atomic<bool> free{false};
  static inline std::atomic<bool> done{false};
};

void hangs() {
  TemporaryFolder proc;
  proc.write("stat", kStat);
  proc.write("meminfo", kMeminfo);
  proc.write("pressure/io", kPressure);
  const auto figures =
      std::make_shared<HostFigures>(HostRoots{proc.root(), proc.root()}, std::make_unique<StuckFiles>(), 20'000'000);
  for (int round = 0; round < 2; ++round) {
    struct Answer {
      std::mutex mutex;
      std::condition_variable came;
      bool there = false;
      HostRound round;
    };
    const auto answer = std::make_shared<Answer>();
    CHECK(figures->read([answer](HostRound read) {
      const std::lock_guard lock(answer->mutex);
      answer->round = std::move(read);
      answer->there = true;
      answer->came.notify_all();
    }));
    std::unique_lock lock(answer->mutex);
    while (!answer->there) answer->came.wait(lock);
    CHECK_EQ(answer->round.cpu[0], 1.0);
    CHECK(std::isnan(answer->round.memory_kib[0]));
    CHECK_EQ(answer->round.pressure_us[2][0], 5.0);
    CHECK_EQ(answer->round.hanging.size(), std::size_t{1});
  }
  StuckFiles::free = true;
  while (!StuckFiles::done) std::this_thread::sleep_for(1ms);
}

}  // namespace

int main() {
  test("real files are read", parses);
  test("words that only begin like numbers are refused, and work is bounded", refuses);
  test("any text gives possible numbers, or none", survives);
  test("only hardware counts, and a name does not lead out of its folder", devices);
  test("a file that hangs is given up, and the others are read", hangs);
  return checks::result();
}
