// RAPL: the counter's arithmetic as properties, zones by name, and a tree that changes while it is read.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <thread>

#include "core/clock.h"
#include "core/rapl/energy_counter.h"
#include "core/rapl/fast_pace.h"
#include "core/rapl/mirrors.h"
#include "core/rapl/power_extremes.h"
#include "core/rapl/rapl.h"
#include "core/rapl/zones.h"
#include "test/check.h"
#include "test/collecting_sink.h"
#include "test/temporary_folder.h"

using namespace faultline;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
using Kind = EnergyStep::Kind;

void counter() {
  checks::test("counter: the first reading gives no power", [] {
    EnergyCounter counter(262143328850);
    CHECK(counter.advance(123, 0, 2000).kind == Kind::first);
    const EnergyStep step = counter.advance(200'000'123, kSecond, 2000);
    CHECK(step.kind == Kind::counted);
    CHECK_NEAR(step.watts, 200.0, 1e-9);
    CHECK_NEAR(counter.total_j(), 200.0, 1e-9);
  });
  checks::test("counter: any walk through wraps gives the energy that went in, for every range", [] {
    std::mt19937_64 random(3);
    for (const std::uint64_t range : {262143328850ULL, 65532610987ULL, 65712999613ULL}) {
      const auto unit = static_cast<std::uint64_t>(std::llround(static_cast<double>(range) / 4294967295.0));
      const std::uint64_t modulus = range + unit;
      for (int run = 0; run < 50; ++run) {
        EnergyCounter counter(range);
        std::uint64_t energy = random() % modulus;
        const double start = static_cast<double>(energy);
        double real = start;
        std::int64_t now = 0;
        counter.advance(energy, now, 1000);
        for (int i = 0; i < 1000; ++i) {
          const double seconds = 1 + static_cast<double>(random() % 10);
          const std::uint64_t delta = random() % static_cast<std::uint64_t>(900e6 * seconds);
          energy = (energy + delta) % modulus;
          real += static_cast<double>(delta);
          now += static_cast<std::int64_t>(seconds * 1e9);
          const EnergyStep step = counter.advance(energy, now, 1000);
          if (step.kind != Kind::counted) checks::report(false, __FILE__, __LINE__, "a step was not counted");
          if (std::abs(step.watts - static_cast<double>(delta) / 1e6 / seconds) > 1e-6) {
            checks::report(false, __FILE__, __LINE__, "wrong power at a wrap");
          }
        }
        CHECK_NEAR(counter.total_j(), (real - start) / 1e6, 1e-3);
      }
    }
  });
  checks::test("counter: whatever it is given, power is finite, not negative and under the ceiling, and the sum only grows", [] {
    std::mt19937_64 random(11);
    const std::uint64_t edges[] = {0, 1, 0xffffffff, 0x100000000, 262143328850, 262143328911, INT64_MAX, UINT64_MAX};
    const auto any = [&] { return random() % 2 == 0 ? edges[random() % 8] + random() % 3 - 1 : random() >> random() % 64; };
    for (int run = 0; run < 2000; ++run) {
      EnergyCounter counter(any());
      double total = 0;
      for (int i = 0; i < 50; ++i) {
        const double ceiling = static_cast<double>(random() % 20'000);
        const EnergyStep step = counter.advance(any(), static_cast<std::int64_t>(any() >> 1), ceiling);
        const bool right = std::isfinite(step.watts) && step.watts >= 0 && step.watts <= ceiling * (1 + 1e-9) &&
                           counter.total_j() >= total && (step.kind == Kind::counted || step.watts == 0);
        if (!right) checks::report(false, __FILE__, __LINE__, "a step that no counter makes");
        total = counter.total_j();
      }
    }
  });
  checks::test("counter: without a range a counter that goes back was reset", [] {
    EnergyCounter counter(0);
    counter.advance(1000, 0, 2000);
    CHECK(counter.advance(10, kSecond, 2000).kind == Kind::reset);
    CHECK(counter.advance(30, 2 * kSecond, 2000).kind == Kind::counted);
    CHECK_NEAR(counter.total_j(), 20e-6, 1e-12);
  });
  checks::test("counter: an implausible or twice wrapped count, or time that does not move, is a gap and never a number", [] {
    EnergyCounter counter(262143328850);
    counter.advance(0, 0, 300);
    CHECK(counter.advance(301'000'000, kSecond, 300).kind == Kind::gap);
    CHECK(counter.advance(302'000'000, kSecond, 300).kind == Kind::gap);
    CHECK(counter.advance(302'000'001, 1000 * kSecond, 300).kind == Kind::gap);  // 300 W for 999 s is over half a turn
    CHECK(counter.advance(302'000'002, 1001 * kSecond, 300).kind == Kind::counted);
    CHECK(counter.advance(5, 1002 * kSecond, 300).kind == Kind::reset);  // a wrap would have been 262 kJ in a second
    counter.forget();
    CHECK(counter.advance(50, 1003 * kSecond, 300).kind == Kind::first);
  });
}

void write_zone(const TemporaryFolder& tree, const std::string& entry, const std::string& name, std::uint64_t energy) {
  const std::string base = "class/powercap/" + entry + "/";
  tree.write(base + "name", name + "\n");
  tree.write(base + "energy_uj", std::to_string(energy) + "\n");
  tree.write(base + "max_energy_range_uj", "262143328850\n");
}

void write_constraint(const TemporaryFolder& tree, const std::string& entry, int index, const std::string& name,
                      std::uint64_t watts) {
  const std::string base = "class/powercap/" + entry + "/constraint_" + std::to_string(index) + "_";
  tree.write(base + "name", name + "\n");
  tree.write(base + "power_limit_uw", std::to_string(watts * 1'000'000) + "\n");
}

void naming() {
  checks::test("zones: every name gives an id, and never an unsafe one", [] {
    CHECK_EQ(package_id("package-0"), "0");
    CHECK_EQ(package_id("package-15"), "15");
    CHECK_EQ(package_id("package-1-die-2"), "1.2");
    CHECK_EQ(package_id("package-"), "package-");
    CHECK_EQ(package_id("package-1-die-"), "package-1-die-");
    CHECK_EQ(package_id("package-99999999999"), "package-99999999999");
    CHECK_EQ(package_id("a b/c#d\n"), "a_b_c_d_");
    CHECK_EQ(package_id(""), "unknown");
    CHECK_EQ(package_id(std::string(500, 'x')).size(), 64u);
  });
  checks::test("zones: twins once, dies apart, sub-zones under their package, other control types not at all", [] {
    TemporaryFolder tree;
    write_zone(tree, "intel-rapl:0", "package-0", 0);
    write_zone(tree, "intel-rapl:0:0", "core", 0);
    write_zone(tree, "intel-rapl:0:1", "dram", 0);
    write_zone(tree, "intel-rapl:1", "package-1-die-1", 0);
    write_zone(tree, "intel-rapl:2", "psys", 0);
    write_zone(tree, "intel-rapl-mmio:0", "package-0", 0);
    write_zone(tree, "intel-rapl-mmio:1", "package-7", 0);
    write_zone(tree, "dtpm:0", "package-9", 0);
    tree.write("class/powercap/intel-rapl/enabled", "1");
    std::filesystem::create_symlink("intel-rapl:0", tree.path("class/powercap/intel-rapl:9"));
    std::string keys;
    for (const ZonePlace& place : find_zones(tree.root(), "h")) keys += place.component + "#" + place.prefix + "power ";
    CHECK_EQ(keys,
             "cpu/h/0#power cpu/h/0#core_power cpu/h/0#dram_power cpu/h/1.1#power host/h#platform_power "
             "cpu/h/7#power ");
    CHECK_EQ(find_zones("/nonexistent", "h").size(), 0u);
  });
}

std::string keys_of(const std::vector<ZonePlace>& places) {
  std::string keys;
  for (const ZonePlace& place : places) keys += place.component + "#" + place.prefix + "power ";
  return keys;
}

void mirrors() {
  checks::test("mirrors: dies that show one counter are one package, with the sub-zones of the first", [] {
    TemporaryFolder tree;
    for (const char* die : {"0", "1"}) {
      write_zone(tree, std::string("intel-rapl:") + die, std::string("package-0-die-") + die, 77'000'000);
      write_zone(tree, std::string("intel-rapl:") + die + ":0", "core", 5 + (*die - '0'));
    }
    write_zone(tree, "intel-rapl:2", "package-1-die-0", 77'000'000);
    write_zone(tree, "intel-rapl:3", "package-1-die-1", 77'000'001);
    write_zone(tree, "intel-rapl:4", "package-2-die-0", 0);
    write_zone(tree, "intel-rapl:5", "package-2-die-1", 0);
    write_zone(tree, "intel-rapl:6", "package-3", 77'000'000);
    CHECK_EQ(keys_of(without_mirrors(find_zones(tree.root(), "h"))),
             "cpu/h/0#power cpu/h/0#core_power cpu/h/1.0#power cpu/h/1.1#power cpu/h/2.0#power cpu/h/2.1#power "
             "cpu/h/3#power ");
  });
  checks::test("mirrors: what cannot be read mirrors nothing", [] {
    TemporaryFolder tree;
    tree.write("class/powercap/intel-rapl:0/name", "package-0-die-0\n");
    tree.write("class/powercap/intel-rapl:1/name", "package-0-die-1\n");
    CHECK_EQ(keys_of(without_mirrors(find_zones(tree.root(), "h"))), "cpu/h/0.0#power cpu/h/0.1#power ");
  });
}

void fast() {
  checks::test("fast: a short peak shows in the extremes, and lies between what single steps would say", [] {
    constexpr std::int64_t kMillisecond = 1'000'000;
    PowerExtremes extremes(262143328850);
    CHECK(!extremes.take());
    std::uint64_t energy = 262143328850 - 3'000'000;  // wraps on the way
    const auto step = [&](int i, double watts) {
      // The counter moves every other millisecond: single steps show nothing or twice the power.
      if (i % 2 == 0) energy = (energy + static_cast<std::uint64_t>(watts * 2000)) % (262143328850 + 61);
      extremes.add(energy, i * kMillisecond, 1000);
    };
    for (int i = 0; i < 500; ++i) step(i, i >= 200 && i < 240 ? 400 : 100);
    const auto seen = extremes.take();
    CHECK(seen.has_value());
    CHECK_NEAR(seen->least_w, 100, 1e-6);
    CHECK_NEAR(seen->most_w, 400, 1e-6);
    CHECK(!extremes.take());
    extremes.forget();
    for (int i = 1000; i < 1015; ++i) step(i, 50);
    CHECK(!extremes.take());  // no window is full yet
  });
  checks::test("fast: readings slower than the window still count, those faster than fit do no harm", [] {
    PowerExtremes extremes(0);
    for (int i = 0; i < 5; ++i) extremes.add(static_cast<std::uint64_t>(i) * 10'000'000, i * kSecond / 10, 1000);
    CHECK_NEAR(extremes.take()->most_w, 100, 1e-9);
    extremes.forget();
    for (int i = 0; i < 10'000; ++i) extremes.add(50'000'000 + static_cast<std::uint64_t>(i), kSecond + i * 1000, 1000);
    CHECK(!extremes.take());
  });
  checks::test("fast: reading gives way while it costs more than a tenth of a core, and comes back", [] {
    FastPace pace(kSecond / 1000, kSecond / 2);
    const auto spend = [&](std::int64_t ns) {
      for (int i = 0; i < 128; ++i) pace.took(ns);
    };
    spend(90'000);
    CHECK_EQ(pace.interval_ns(), kSecond / 1000);
    spend(150'000);
    CHECK_EQ(pace.interval_ns(), kSecond / 500);
    for (int i = 0; i < 20; ++i) spend(kSecond);
    CHECK_EQ(pace.interval_ns(), kSecond / 2);
    for (int i = 0; i < 20; ++i) spend(1000);
    CHECK_EQ(pace.interval_ns(), kSecond / 1000);
  });
  checks::test("rapl: between samples it keeps the extremes, and hands over two values a sample", [] {
    TemporaryFolder tree;
    write_zone(tree, "intel-rapl:0", "package-0", 5'000'000);
    const auto sink = std::make_shared<CollectingSink>();
    const auto rapl = Rapl::start(sink, {tree.root(), "h", kSecond / 10, kSecond / 1000});
    CHECK(sink->wait([&] { return sink->samples("cpu/h/0#power_peak").size() >= 2; }));
    rapl->stop();
    CHECK(sink->samples("cpu/h/0#power_peak").size() <= sink->samples("cpu/h/0#energy").size());
    CHECK_EQ(sink->samples("cpu/h/0#power_floor")[0], 0.0);
  });
}

// Long enough for a joule to be a plausible number of watts.
void let_time_pass() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

void reading() {
  checks::test("rapl: energy through a wrap, limits by name and as they change, zones that come and go", [] {
    TemporaryFolder tree;
    const auto sink = std::make_shared<CollectingSink>();
    Rapl rapl(sink, {tree.root(), "h", kSecond});
    std::int64_t now = 0;
    rapl.round(now);
    CHECK(sink->noticed("rapl_state", "absent"));

    write_zone(tree, "intel-rapl:0", "package-0", 262143328850 - 499'939);
    write_constraint(tree, "intel-rapl:0", 0, "short_term", 400);
    write_constraint(tree, "intel-rapl:0", 2, "long_term", 300);
    rapl.round(now + kSecond);  // not looked for yet
    CHECK(!sink->sampled());
    now += 6 * kSecond;
    rapl.round(now);
    CHECK(sink->noticed("rapl_state", "works"));
    CHECK_EQ(sink->samples("cpu/h/0#power").size(), 0u);
    CHECK_EQ(sink->samples("cpu/h/0#energy").back(), 0.0);
    CHECK_EQ(sink->samples("cpu/h/0#power_limit").back(), 300.0);
    CHECK_EQ(sink->samples("cpu/h/0#power_limit_short").back(), 400.0);

    let_time_pass();
    now += kSecond;
    tree.write("class/powercap/intel-rapl:0/energy_uj", "500000\n");
    write_constraint(tree, "intel-rapl:0", 2, "long_term", 150);
    rapl.round(now);
    CHECK_NEAR(sink->samples("cpu/h/0#energy").back(), 1.0, 1e-9);
    CHECK_EQ(sink->samples("cpu/h/0#power").size(), 1u);
    CHECK(sink->samples("cpu/h/0#power").back() > 0 && sink->samples("cpu/h/0#power").back() < 34);
    CHECK_EQ(sink->samples("cpu/h/0#power_limit").back(), 150.0);

    tree.write("class/powercap/intel-rapl:0/energy_uj", "not a number\n");
    rapl.round(now);
    tree.write("class/powercap/intel-rapl:0/energy_uj", "900000\n");
    rapl.round(now);
    CHECK_EQ(sink->samples("cpu/h/0#power").size(), 1u);  // what lies across the hole is not an interval

    let_time_pass();
    tree.write("class/powercap/intel-rapl:0/energy_uj", "1000000\n");
    rapl.suspended(boottime_now() - monotonic_now() + kSecond);
    rapl.round(now);
    CHECK_EQ(sink->samples("cpu/h/0#power").size(), 1u);  // nor is what lies across a suspend
    rapl.suspended(boottime_now() - monotonic_now() + kSecond);
    let_time_pass();
    rapl.round(now);
    CHECK_EQ(sink->samples("cpu/h/0#power").size(), 2u);

    std::filesystem::remove_all(tree.path("class/powercap/intel-rapl:0"));
    now += 31 * kSecond;
    rapl.round(now);
    CHECK_EQ(sink->notices().back().name, "absent");
    write_zone(tree, "intel-rapl:0", "package-0", 7);
    now += 6 * kSecond;
    rapl.round(now);
    CHECK_EQ(sink->notices().back().name, "works");
    CHECK_EQ(sink->notices().size(), 4u);
    rapl.stop();
  });
  checks::test("rapl: energy that stays unreadable is a state, one failed reading is not", [] {
    TemporaryFolder tree;
    write_zone(tree, "intel-rapl:0", "package-0", 5);
    const auto sink = std::make_shared<CollectingSink>();
    Rapl rapl(sink, {tree.root(), "h", kSecond});
    std::int64_t now = 0;
    rapl.round(now);
    tree.write("class/powercap/intel-rapl:0/energy_uj", "not a number\n");
    for (int i = 0; i < 2; ++i) rapl.round(now += kSecond);
    CHECK_EQ(sink->notices().back().name, "works");
    rapl.round(now += kSecond);
    CHECK_EQ(sink->notices().back().name, "partial");
    tree.write("class/powercap/intel-rapl:0/energy_uj", "900000\n");
    rapl.round(now += kSecond);
    CHECK_EQ(sink->notices().back().name, "works");
    rapl.stop();
  });
  checks::test("rapl: forbidden energy names its file, limits are still read", [] {
    TemporaryFolder tree;
    write_zone(tree, "intel-rapl:0", "package-0", 5);
    write_constraint(tree, "intel-rapl:0", 0, "long_term", 300);
    ::chmod(tree.path("class/powercap/intel-rapl:0/energy_uj").c_str(), 0);
    ::chmod(tree.root().c_str(), 0755);
    const bool root = ::geteuid() == 0;
    if (root && ::seteuid(65534) != 0) return;
    const auto sink = std::make_shared<CollectingSink>();
    Rapl rapl(sink, {tree.root(), "h", kSecond});
    rapl.round(0);
    rapl.round(kSecond);
    if (root) CHECK_EQ(::seteuid(0), 0);
    CHECK_EQ(sink->notices().size(), 1u);
    CHECK_EQ(sink->notices()[0].name, "no_permission");
    CHECK(sink->notices()[0].text.find("intel-rapl:0/energy_uj: Permission denied") != std::string::npos);
    CHECK_EQ(sink->samples("cpu/h/0#power_limit").size(), 2u);
    ::chmod(tree.path("class/powercap/intel-rapl:0/energy_uj").c_str(), 0400);
    rapl.round(2 * kSecond);
    CHECK_EQ(sink->notices().back().name, "works");
  });
  checks::test("rapl: a zone that the kernel took away is not tried at each round, and starts a new count", [] {
    TemporaryFolder tree;
    write_zone(tree, "intel-rapl:0", "package-0", 5);
    const std::string energy = tree.path("class/powercap/intel-rapl:0/energy_uj");
    std::filesystem::remove(energy);
    std::filesystem::create_symlink("/proc/self/mem", energy);  // answers EIO, as a zone without its processor
    const auto sink = std::make_shared<CollectingSink>();
    Rapl rapl(sink, {tree.root(), "h", kSecond});
    rapl.round(kSecond);
    CHECK_EQ(sink->notices().back().name, "absent");
    std::filesystem::remove(energy);
    tree.write("class/powercap/intel-rapl:0/energy_uj", "9\n");
    rapl.round(2 * kSecond);
    CHECK(!sink->sampled());
    rapl.round(7 * kSecond);
    CHECK_EQ(sink->notices().back().name, "works");
    CHECK_EQ(sink->samples("cpu/h/0#energy").size(), 1u);
  });
  checks::test("rapl: its thread reads until it is stopped", [] {
    TemporaryFolder tree;
    write_zone(tree, "intel-rapl:0", "package-0", 5);
    const auto sink = std::make_shared<CollectingSink>();
    const auto rapl = Rapl::start(sink, {tree.root(), "h", kSecond / 50});
    CHECK(sink->wait([&] { return sink->samples("cpu/h/0#energy").size() >= 3; }));
    rapl->stop();
  });
}

}  // namespace

int main() {
  counter();
  naming();
  mirrors();
  fast();
  reading();
  return checks::result();
}
