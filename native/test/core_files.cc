// Watched files: what they count goes into series round by round; a change, a hang and a hostile tree, each as it should end.
#include <fcntl.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.h"
#include "core/core.h"
#include "core/files/file_watch.h"
#include "core/files/number.h"
#include "test/check.h"
#include "test/collecting_sink.h"
#include "test/temporary_folder.h"

using namespace faultline;

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
using Kind = SeriesPlan::Kind;

FilePlan file(const TemporaryFolder& tree, const std::string& name) {
  FilePlan plan;
  plan.path = tree.path(name);
  return plan;
}

FilePlan steady(const TemporaryFolder& tree, const std::string& name, const std::string& text) {
  FilePlan plan = file(tree, name);
  plan.expected = text;
  return plan;
}

FilePlan folder(const TemporaryFolder& tree, const std::string& name, std::optional<std::string> names) {
  FilePlan plan = file(tree, name);
  plan.folder = true;
  plan.absent = !names;
  plan.expected = std::move(names);
  return plan;
}

SeriesPlan series(const std::string& key, Kind kind, std::vector<std::uint32_t> files) {
  SeriesPlan plan;
  plan.key = key;
  plan.kind = kind;
  plan.files = std::move(files);
  return plan;
}

FileWatchOptions options(std::vector<GroupPlan> groups) {
  FileWatchOptions made;
  made.name = "test 1";
  made.interval_ns = kMillisecond;
  made.groups = std::move(groups);
  return made;
}

GroupPlan group(std::vector<FilePlan> files, std::vector<SeriesPlan> plans) {
  GroupPlan made;
  made.files = std::move(files);
  made.series = std::move(plans);
  return made;
}

void numbers() {
  checks::test("numbers: a counter is an integer of at most 20 digits, not negative, and not all bits of 64", [] {
    CHECK(counter_of("0") == 0.0);
    CHECK(counter_of("007") == 7.0);
    CHECK(counter_of("9007199254740993") == 9007199254740992.0);
    CHECK(counter_of("18446744073709549568") == 18446744073709549568.0);
    for (const char* text : {"", "-", "-1", " 1", "1 ", "+1", "1e3", "0x10", "N/A", "1\n2", "18446744073709551615",
                             "99999999999999999999", "000000000000000000001"}) {
      CHECK(!counter_of(text));
    }
  });
  checks::test("numbers: sentinels and impossible values give no power and no temperature", [] {
    CHECK(power_of("6400000000") == 6400.0);
    CHECK(power_of("20000000000") == 20000.0);
    for (const char* text : {"20000000001", "-1000000", "65535000000", "4294967295000000", "2147483632", "junk"}) {
      CHECK(!power_of(text));
    }
    CHECK(temperature_of("-40000") == -40.0);
    CHECK(temperature_of("71000") == 71.0);
    for (const char* text : {"-50001", "200001", "65535", "32767", "4294967295", "-9223372036854775808"}) {
      CHECK(!temperature_of(text));
    }
  });
}

void rounds() {
  checks::test("rounds: ports add up, what shows nothing is left out, and a held value is published with them", [] {
    const TemporaryFolder tree;
    tree.write("a", "5\n");
    tree.write("b", "7");
    tree.write("c", "N/A\n");
    SeriesPlan held = series("nic/x#link_rate", Kind::held, {});
    held.value = 4e11;
    auto sink = std::make_shared<CollectingSink>();
    FileWatch watch(sink, options({group({file(tree, "a"), file(tree, "b"), file(tree, "c"), file(tree, "none")},
                                         {series("nic/x#sum", Kind::counter, {0, 1, 2, 3}),
                                          series("nic/x#nothing", Kind::counter, {2, 3}), held})}));
    CHECK(watch.round());
    tree.write("a", "6\n");
    CHECK(watch.round());
    CHECK(sink->samples("nic/x#sum") == (std::vector<double>{12, 13}));
    CHECK(sink->samples("nic/x#nothing").empty());
    CHECK(sink->samples("nic/x#link_rate") == (std::vector<double>{4e11, 4e11}));
    CHECK_EQ(watch.counts().reads, 8u);
  });
  checks::test("rounds: what is slow is read in each third round only", [] {
    const TemporaryFolder tree;
    tree.write("a", "1");
    FilePlan slow = file(tree, "a");
    slow.slow = true;
    SeriesPlan planned = series("nic/x#slow", Kind::counter, {0});
    planned.slow = true;
    auto sink = std::make_shared<CollectingSink>();
    FileWatchOptions made = options({group({slow}, {planned})});
    made.slow_rounds = 3;
    FileWatch watch(sink, made);
    for (int i = 0; i < 7; ++i) CHECK(watch.round());
    CHECK_EQ(sink->samples("nic/x#slow").size(), 2u);
    CHECK_EQ(watch.counts().reads, 2u);
  });
  checks::test("rounds: rates of a group go together, and a counter that went back or is gone takes both", [] {
    const TemporaryFolder tree;
    const auto put = [&](const std::string& in, const std::string& out) {
      tree.write("in", in);
      tree.write("out", out);
    };
    SeriesPlan in = series("nic/x#in", Kind::rate, {0});
    SeriesPlan out = series("nic/x#out", Kind::rate, {1});
    in.value = out.value = 4;
    in.total = out.total = 400;
    GroupPlan plan = group({file(tree, "in"), file(tree, "out")}, {in, out});
    plan.totals_ns = monotonic_now() - 1000 * kMillisecond;
    auto sink = std::make_shared<CollectingSink>();
    FileWatch watch(sink, options({plan}));
    put("200", "100");  // 800 and 400 bytes, a second after 400
    CHECK(watch.round());
    CHECK_NEAR(sink->samples("nic/x#in").at(0), 400, 8);
    CHECK_EQ(sink->samples("nic/x#out").at(0), 0.0);
    CHECK_NEAR(watch.groups()[0].rates[0], 400, 8);
    put("300", "99");
    CHECK(watch.round());
    put("300", "N/A");
    CHECK(watch.round());
    CHECK(std::isnan(watch.groups()[0].totals[1]) && std::isnan(watch.groups()[0].rates[0]));
    put("300", "100");
    CHECK(watch.round());
    CHECK_EQ(sink->samples("nic/x#in").size(), 1u);
    put("300", "100");
    CHECK(watch.round());
    CHECK_EQ(sink->samples("nic/x#in").size(), 2u);
  });
  checks::test("rounds: a sensor without a value is dropped and counted, one that is gone is not", [] {
    const TemporaryFolder tree;
    tree.write("power", "4294967295000000\n");
    auto sink = std::make_shared<CollectingSink>();
    FileWatch watch(sink, options({group({file(tree, "power"), file(tree, "gone")},
                                         {series("host/h#acpi_power", Kind::power, {0}),
                                          series("gpu/x#temperature", Kind::temperature, {1})})}));
    CHECK(watch.round());
    CHECK_EQ(watch.counts().dropped, 1u);
    tree.write("power", "6400000000\n");
    CHECK(watch.round());
    CHECK(sink->samples("host/h#acpi_power") == (std::vector<double>{6400}));
  });
}

// True when the round after `change` tells it and no sample.
bool ends(const TemporaryFolder& tree, FilePlan watched, const std::function<void()>& change) {
  tree.write("counter", "1");
  auto sink = std::make_shared<CollectingSink>();
  const std::string path = watched.path;
  FileWatch watch(sink, options({group({file(tree, "counter"), std::move(watched)},
                                       {series("nic/x#count", Kind::counter, {0})})}));
  if (!watch.round()) return false;
  change();
  if (watch.round() || sink->samples("nic/x#count").size() != 1) return false;
  const auto notices = sink->notices();
  return notices.size() == 1 && notices[0].type == "files_changed" && notices[0].name == "test 1" &&
         notices[0].text == path && watch.counts().rounds == 1;
}

void changes() {
  checks::test("changes: a text, a counter at its limit, a name more or less, a folder that comes or goes", [] {
    const TemporaryFolder tree;
    tree.write("state", "4: ACTIVE\n");
    CHECK(ends(tree, steady(tree, "state", "4: ACTIVE"), [&] { tree.write("state", "1: DOWN\n"); }));
    tree.write("state", "4: ACTIVE\n");
    CHECK(ends(tree, steady(tree, "state", "4: ACTIVE"), [&] { tree.write("state", std::string(5000, 'x')); }));
    tree.write("limit", "254");
    FilePlan limited = file(tree, "limit");
    limited.limit = 255;
    CHECK(ends(tree, limited, [&] { tree.write("limit", "255"); }));
    tree.write("net/eth0/x", "");
    tree.write("net/lo/x", "");
    CHECK(ends(tree, folder(tree, "net", "lo/eth0"), [&] { tree.write("net/veth1/x", ""); }));
    CHECK(ends(tree, folder(tree, "net", "eth0/lo/veth1"), [&] { std::filesystem::remove_all(tree.path("net/lo")); }));
    CHECK(ends(tree, folder(tree, "net", "eth0/veth1"), [&] { std::filesystem::remove_all(tree.path("net")); }));
    CHECK(ends(tree, folder(tree, "infiniband", std::nullopt), [&] { tree.write("infiniband/mlx5_0/x", ""); }));
  });
  checks::test("changes: what is not as expected from the start ends the first round, and nothing of it is published", [] {
    const TemporaryFolder tree;
    tree.write("state", "4: ACTIVE\n");
    tree.write("counter", "1");
    auto sink = std::make_shared<CollectingSink>();
    FileWatch watch(sink, options({group({file(tree, "counter"), steady(tree, "state", "4: INIT")},
                                         {series("nic/x#count", Kind::counter, {0})})}));
    CHECK(!watch.round());
    CHECK(!sink->sampled());
    CHECK_EQ(watch.groups()[0].ended_ns, 0);
  });
}

void hostile() {
  checks::test("hostile: pipes, links, folders, sockets' kin and files without end give no readings and delay nothing", [] {
    const TemporaryFolder tree;
    tree.write("real", "3");
    tree.write("folder/x", "3");
    tree.write("long", std::string(1 << 20, '1'));
    tree.write("bytes", std::string("1\0" "2", 3));
    std::filesystem::create_symlink(tree.path("real"), tree.path("link"));
    CHECK_EQ(::mkfifo(tree.path("pipe").c_str(), 0600), 0);
    GroupPlan plan;
    for (const char* name : {"real", "folder", "long", "bytes", "link", "pipe", "real/under"}) {
      plan.series.push_back(series(std::string("nic/x#") + name, Kind::counter, {static_cast<std::uint32_t>(plan.files.size())}));
      plan.files.push_back(file(tree, name));
    }
    plan.series.push_back(series("nic/x#device", Kind::counter, {static_cast<std::uint32_t>(plan.files.size())}));
    FilePlan device;
    device.path = "/dev/zero";
    plan.files.push_back(device);
    auto sink = std::make_shared<CollectingSink>();
    FileWatch watch(sink, options({plan}));
    CHECK(watch.round() && watch.round());
    CHECK_EQ(sink->samples("nic/x#real").size(), 2u);
    for (const char* name : {"folder", "long", "bytes", "link", "pipe", "real/under", "device"}) {
      CHECK(sink->samples(std::string("nic/x#") + name).empty());
    }
  });
  checks::test("hostile: a folder of more names than are counted is not the one that was", [] {
    const TemporaryFolder tree;
    std::string names;
    std::filesystem::create_directory(tree.path("many"));
    for (int i = 0; i < 4097; ++i) {
      std::filesystem::create_symlink("x", tree.path("many/" + std::to_string(i)));
      names += (i > 0 ? "/" : "") + std::to_string(i);
    }
    FileWatch watch(std::make_shared<CollectingSink>(), options({group({folder(tree, "many", names)}, {})}));
    CHECK(!watch.round());
  });
}

void threads() {
  checks::test("threads: a watch samples until it is stopped, while others ask how it fares", [] {
    const TemporaryFolder tree;
    tree.write("a", "1");
    auto sink = std::make_shared<CollectingSink>();
    const auto watch = FileWatch::start(sink, options({group({file(tree, "a")}, {series("nic/x#a", Kind::counter, {0})})}));
    std::size_t answered = 0;
    std::thread asks([&] {
      for (int i = 0; i < 2000; ++i) {
        answered += watch->hangs(3600'000 * kMillisecond).empty() && watch->groups().size() == 1 ? 1 : 0;
        static_cast<void>(watch->counts());
      }
    });
    CHECK(sink->wait([&] { return sink->samples("nic/x#a").size() >= 20; }));
    asks.join();
    CHECK_EQ(answered, 2000u);
    watch->stop();
    while (!watch->ended()) std::this_thread::yield();
    CHECK(watch->counts().rounds >= 19);
  });
  checks::test("threads: a change ends the thread, and a closed core its watches; ended ones are forgotten", [] {
    const TemporaryFolder tree;
    tree.write("a", "1");
    const auto core = std::make_shared<Core>(CoreOptions{1, 16, std::nullopt});
    std::weak_ptr<FileWatch> first;
    {
      const auto watch = FileWatch::start(core, options({group({steady(tree, "a", "1")}, {})}));
      core->attach(watch);
      first = watch;
      tree.write("a", "2");
      while (!watch->ended()) std::this_thread::yield();
    }
    CHECK_EQ(core->drain().notices.size(), 1u);
    const auto second = FileWatch::start(core, options({group({file(tree, "a")}, {})}));
    core->attach(second);
    while (!first.expired()) std::this_thread::yield();
    core->close();
    while (!second->ended()) std::this_thread::yield();
  });
}

// Holds up reads of a file as a dead device does; only root may.
class Hold {
 public:
  explicit Hold(const std::string& path) : fd_(::fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY)) {
    if (fd_ >= 0) holds_ = ::fanotify_mark(fd_, FAN_MARK_ADD, FAN_ACCESS_PERM, AT_FDCWD, path.c_str()) == 0;
  }
  ~Hold() {
    if (fd_ >= 0) ::close(fd_);  // whoever waits continues
  }
  bool holds() const { return holds_; }

 private:
  int fd_;
  bool holds_ = false;
};

void hangs() {
  checks::test("hangs: the file is named, a stop does not wait for it, and the thread ends when it answers", [] {
    const TemporaryFolder tree;
    tree.write("fast", "1");
    tree.write("dead", "1");
    auto sink = std::make_shared<CollectingSink>();
    auto hold = std::make_unique<Hold>(tree.path("dead"));
    if (!hold->holds()) return;
    const auto watch = FileWatch::start(sink, options({group({file(tree, "fast"), file(tree, "dead")},
                                                             {series("nic/x#a", Kind::counter, {0})})}));
    while (watch->hangs(kMillisecond).empty()) std::this_thread::yield();
    CHECK_EQ(watch->hangs(kMillisecond), tree.path("dead"));
    watch->stop();
    CHECK(!watch->ended());
    CHECK_EQ(watch->groups()[0].ended_ns, 0);
    hold.reset();
    while (!watch->ended()) std::this_thread::yield();
    CHECK(watch->hangs(0).empty());
    CHECK(!sink->sampled());
  });
}

}  // namespace

int main() {
  numbers();
  rounds();
  changes();
  hostile();
  threads();
  hangs();
  return checks::result();
}
