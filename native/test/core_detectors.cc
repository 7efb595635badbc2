// The six detectors, as tables: samples in, edges out.
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/core.h"
#include "test/check.h"

using namespace faultline;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMs;
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

struct Point {
  double at_s;
  double value;
};
struct Want {
  bool onset;
  double at_s;
  double previous_s;
  double value;
  double reference;
  double extreme;
};

DetectorSpec spec(decltype(DetectorSpec::rule) rule) { return {"d", "gpu", "q", rule}; }

Core make_core() { return Core({600, 100, 0.0}); }

void feed(Core& core, const std::string& key, const std::vector<Point>& points) {
  for (const Point& point : points) {
    const SeriesId id = core.series(key);
    const double time_ms = point.at_s * 1000;
    core.push(std::span(&id, 1), std::span(&time_ms, 1), std::span(&point.value, 1));
  }
}

void same(const std::deque<Edge>& edges, const std::vector<Want>& wanted) {
  CHECK_EQ(edges.size(), wanted.size());
  for (std::size_t i = 0; i < std::min(edges.size(), wanted.size()); ++i) {
    const Transition& got = edges[i].transition;
    CHECK_EQ(got.onset, wanted[i].onset);
    CHECK_NEAR(got.time_ns / 1e9, wanted[i].at_s, 1e-6);
    CHECK_NEAR(got.previous_ns / 1e9, wanted[i].previous_s, 1e-6);
    CHECK_NEAR(got.value, wanted[i].value, 1e-9);
    CHECK_NEAR(got.reference_is_time ? got.reference / 1e9 : got.reference, wanted[i].reference, 1e-6);
    CHECK_NEAR(got.extreme, wanted[i].extreme, 1e-9);
  }
}

void run(const char* name, const DetectorSpec& detector, const std::vector<Point>& points,
         const std::vector<Want>& wanted) {
  checks::test(name, [&] {
    CHECK_EQ(check(detector), "");
    Core core = make_core();
    core.set_detectors({detector});
    feed(core, "gpu/a#q", points);
    same(core.drain().edges, wanted);
  });
}

std::vector<Point> steady(double from_s, double to_s, double step_s, double value) {
  std::vector<Point> points;
  for (double at = from_s; at < to_s; at += step_s) points.push_back({at, value});
  return points;
}

std::vector<Point> operator+(std::vector<Point> a, const std::vector<Point>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void level() {
  const LevelSpec hot{Side::above, 85, 80, 2 * kSecond, 3 * kSecond};
  run("level: the limit itself is not beyond, a shorter stay is not an onset", spec(hot),
      {{0, 85}, {1, 90}, {2, 90}, {2.5, 84}, {3, 90}, {4.9, 90}}, {});
  run("level: onset after the dwell is dated at the first sample beyond", spec(hot),
      {{0, 70}, {1, 90}, {2, 95}, {3, 91}}, {{true, 1, 0, 90, 85, 95}});
  run("level: a first sample beyond has no sample before it", spec(hot), {{1, 90}, {3, 90}}, {{true, 1, 1, 90, 85, 90}});
  run("level: between clear and limit nothing changes; clear after its own dwell", spec(hot),
      {{0, 90}, {2, 99}, {3, 82}, {4, 80}, {5, 83}, {6, 80}, {8, 79}, {9, 60}},
      {{true, 0, 0, 90, 85, 99}, {false, 6, 5, 80, 80, 99}});
  run("level: absent samples do not count", spec(hot), {{0, 90}, {1, kAbsent}, {2, 90}, {3, kAbsent}},
      {{true, 0, 0, 90, 85, 90}});
  run("level: below, at once", spec(LevelSpec{Side::below, 1, 1, 0, 0}), {{0, 1}, {1, 0}, {2, 1}},
      {{true, 1, 0, 0, 1, 0}, {false, 2, 1, 1, 1, 0}});
  run("level: a late sample is not judged", spec(LevelSpec{Side::above, 1, 1, 0, 0}), {{5, 0}, {4, 9}, {6, 0}}, {});
}

void mask() {
  const MaskSpec throttle{0x88, 0, 2 * kSecond};
  run("mask: other bits do not matter, any of ours does, every bit seen is kept", spec(throttle),
      {{0, 0x7}, {1, 0x9}, {2, 0x80}, {3, 0x1}, {4, 0x8}, {5, 0}, {7, 0}},
      {{true, 1, 0, 0x9, 0x88, 0x9}, {false, 5, 4, 0, 0x88, 0x89}});
  run("mask: bit 52 is exact, a value that holds no bits is absent", spec(MaskSpec{std::uint64_t{1} << 52, 0, 0}),
      {{0, -1}, {1, 1e300}, {2, 4503599627370496.0}}, {{true, 2, 2, 4503599627370496.0, 4503599627370496.0, 4503599627370496.0}});
}

void rate() {
  const RateSpec errors{1, 10 * kSecond, 5 * kSecond};
  run("rate: growth within the window over the window", spec(errors),
      {{0, 100}, {1, 104}, {2, 109}, {3, 110}, {13.5, 110}, {15, 110}, {19, 110}},
      {{true, 3, 2, 1, 1, 1}, {false, 13.5, 3, 0, 1, 1}});
  run("rate: a counter that goes back was reset and adds nothing", spec(errors),
      {{0, 1000}, {1, 5}, {2, 10}, {3, 14}}, {});
  run("rate: after a reset growth counts again", spec(errors), {{0, 1000}, {1, 0}, {2, 10}}, {{true, 2, 1, 1, 1, 1}});
  run("rate: one in a window is one in a window, whatever the phase", spec(RateSpec{1.0 / 60, 60 * kSecond, 0}),
      {{0, 7}, {0.7, 7}, {30.3, 7}, {59.9, 7}, {61.1, 8}}, {{true, 61.1, 59.9, 1.0 / 60, 1.0 / 60, 1.0 / 60}});
  run("rate: a series slower than the window is judged over the time that passed", spec(RateSpec{1, kSecond, 0}),
      {{0, 0}, {60, 59}, {120, 119}}, {{true, 120, 60, 1, 1, 1}});
  checks::test("rate: a reset is reported once however many detectors watch", [] {
    Core core = make_core();
    core.set_detectors({spec(RateSpec{1, kSecond, 0}), spec(RateSpec{2, kSecond, 0})});
    feed(core, "gpu/a#q", {{0, 10}, {1, 3}});
    const Events events = core.drain();
    CHECK_EQ(events.notices.size(), 1u);
    CHECK_EQ(events.notices[0].type, "counter_reset");
    CHECK_EQ(events.notices[0].component, "gpu/a");
    CHECK_EQ(events.notices[0].name, "q");
    CHECK_EQ(events.notices[0].value, 3.0);
  });
}

void drop() {
  const DropSpec sag{Side::below, 0.9, 0.95, 60 * kSecond, 5, 2};
  run("drop: needs its samples first", spec(sag), {{0, 230}, {1, 230}, {2, 230}, {3, 100}, {4, 100}}, {});
  run("drop: two samples beyond the median, cleared within", spec(sag),
      steady(0, 6, 1, 230) + std::vector<Point>{{6, 200}, {7, 190}, {8, 210}, {9, 225}},
      {{true, 6, 5, 200, 230, 190}, {false, 9, 8, 225, 230, 190}});
  run("drop: one sample is not a drop, and never becomes normal", spec(sag),
      steady(0, 6, 1, 230) + std::vector<Point>{{6, 200}, {7, 230}, {8, 200}, {9, 230}}, {});
  run("drop: the median is frozen while it lasts, re-armed after", spec(sag),
      steady(0, 6, 1, 230) + steady(6, 200, 1, 150) + steady(200, 210, 1, 230) + steady(210, 212, 1, 150),
      {{true, 6, 5, 150, 230, 150}, {false, 200, 199, 230, 230, 150}, {true, 210, 209, 150, 230, 150}});
  run("drop: a gap longer than the window leaves nothing to compare with", spec(sag),
      steady(0, 6, 1, 230) + steady(1000, 1004, 1, 100), {});
  run("drop: above", spec(DropSpec{Side::above, 1.5, 1.2, 60 * kSecond, 3, 1}),
      {{0, 10}, {1, 10}, {2, 10}, {3, 16}, {4, 13}, {5, 12}}, {{true, 3, 2, 16, 10, 16}, {false, 5, 4, 12, 10, 16}});
  run("drop: no ratio of a median of zero", spec(DropSpec{Side::above, 1.5, 1.2, 60 * kSecond, 3, 1}),
      {{0, 0}, {1, 0}, {2, 0}, {3, 16}}, {});
  DropSpec moved{Side::above, 1.02, 1.01, 10 * kSecond, 3, 1};
  moved.follows = true;
  run("drop: what lasts becomes normal where it follows, and each further step counts", spec(moved),
      steady(0, 6, 1, 400) + steady(6, 30, 1, 500) + steady(30, 32, 1, 700),
      {{true, 6, 5, 500, 400, 500}, {false, 12, 11, 500, 500, 500}, {true, 30, 29, 700, 500, 700}});
  run("drop: a window far denser than it keeps still knows its median", spec(DropSpec{Side::below, 0.5, 0.6, 60 * kSecond, 256, 1}),
      steady(0, 120, 0.01, 8) + std::vector<Point>{{120.5, 1}}, {{true, 120.5, 119.99, 1, 8, 1}});
}

void trend() {
  const TrendSpec heat{Side::above, 90, 30 * kSecond, 20 * kSecond, 5};
  run("trend: predicts when the limit is met", spec(heat), {{0, 50}, {1, 51}, {2, 52}, {3, 53}, {4, 54}}, {});
  run("trend: within the horizon, dated at the sample that shows it", spec(heat),
      {{0, 60}, {1, 62}, {2, 64}, {3, 66}, {4, 68}}, {{true, 4, 3, 68, 15, 68}});
  run("trend: flat after rising clears", spec(TrendSpec{Side::above, 90, 10 * kSecond, 4 * kSecond, 3}),
      {{0, 70}, {1, 74}, {2, 78}, {3, 78}, {4, 78}, {5, 78}, {6, 78}, {7, 78}},
      {{true, 2, 1, 78, 5, 78}, {false, 6, 5, 78, 90, 78}});
  run("trend: at the limit already", spec(heat), steady(0, 5, 1, 95), {{true, 4, 3, 95, 4, 95}});
  run("trend: below", spec(TrendSpec{Side::below, 0, 10 * kSecond, 20 * kSecond, 3}), {{0, 9}, {1, 8}, {2, 7}},
      {{true, 2, 1, 7, 9, 7}});
  run("trend: noise on a level series leads nowhere", spec(heat),
      {{0, 88}, {1, 89}, {2, 87}, {3, 89}, {4, 89}, {5, 88}, {6, 89}, {7, 89.5}, {8, 88}}, {});
  run("trend: samples of one time give no slope", spec(heat), {{1, 10}, {1, 20}, {1, 30}, {1, 40}, {1, 50}}, {});
}

void peers() {
  const PeersSpec slow{Side::below, 0.2, 3, 2 * kSecond, kSecond};
  const auto round = [](Core& core, double at, std::vector<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) feed(core, "gpu/" + std::to_string(i) + "#q", {{at, values[i]}});
  };
  checks::test("peers: one falls behind the median and comes back", [&] {
    Core core = make_core();
    core.set_detectors({spec(slow)});
    round(core, 0, {100, 100, 100, 100});
    for (double at = 1; at < 5; ++at) round(core, at, {100, 70, 100, 102});
    for (double at = 5; at < 8; ++at) round(core, at, {100, 99, 100, 100});
    const Events events = core.drain();
    same(events.edges, {{true, 1, 0, 70, 100, 70}, {false, 5, 4, 99, 100, 70}});
    CHECK_EQ(core.key(events.edges[0].series), "gpu/1#q");
  });
  checks::test("peers: all falling together is not a deviation", [&] {
    Core core = make_core();
    core.set_detectors({spec(slow)});
    for (double at = 0; at < 5; ++at) round(core, at, {100, 100, 100, 100});
    for (double at = 5; at < 20; ++at) round(core, at, {10, 10, 10, 10});
    CHECK_EQ(core.drain().edges.size(), 0u);
  });
  checks::test("peers: too few, or silent ones, say nothing", [&] {
    Core core = make_core();
    core.set_detectors({spec(slow)});
    round(core, 0, {100, 100, 100, 100});
    for (double at = 60; at < 70; ++at) feed(core, "gpu/0#q", {{at, 10}});
    CHECK_EQ(core.drain().edges.size(), 0u);
  });
  checks::test("peers: another type or quantity is not a peer", [&] {
    Core core = make_core();
    core.set_detectors({spec(slow)});
    for (double at = 0; at < 10; ++at) {
      round(core, at, {10});
      for (const char* key : {"gpu/1#other", "nic/1#q", "gpu/2#other", "gpu_instance/1#q"}) feed(core, key, {{at, 100}});
    }
    CHECK_EQ(core.drain().edges.size(), 0u);
  });
}

void set_and_replay() {
  const DetectorSpec hot = spec(LevelSpec{Side::above, 85, 80, 0, 0});
  checks::test("a set that keeps a specification keeps its open anomaly", [&] {
    Core core = make_core();
    core.set_detectors({hot});
    feed(core, "gpu/a#q", {{0, 90}});
    DetectorSpec other = hot;
    other.name = "other";
    core.set_detectors({other, hot});
    feed(core, "gpu/a#q", {{1, 70}});
    same(core.drain().edges, {{true, 0, 0, 90, 85, 90}, {false, 1, 0, 70, 80, 90}});
  });
  checks::test("a set without it ends it, and series that exist already are watched", [&] {
    Core core = make_core();
    feed(core, "gpu/a#q", {{0, 90}});
    core.set_detectors({hot});
    feed(core, "gpu/a#q", {{1, 90}});
    core.set_detectors({});
    feed(core, "gpu/a#q", {{2, 70}});
    same(core.drain().edges, {{true, 1, 1, 90, 85, 90}});
  });
  checks::test("the same samples give the same edges, whatever batches they come in", [&] {
    const std::vector<DetectorSpec> all = {
        spec(LevelSpec{Side::above, 60, 50, 300 * kMs, 200 * kMs}), spec(MaskSpec{6, 0, 100 * kMs}),
        spec(RateSpec{20, kSecond, 0}), spec(DropSpec{Side::below, 0.6, 0.8, 5 * kSecond, 5, 1}),
        spec(TrendSpec{Side::above, 99, kSecond, kSecond, 5}), spec(PeersSpec{Side::above, 0.5, 2, 0, 0})};
    for (unsigned seed = 0; seed < 50; ++seed) {
      std::mt19937 random(seed);
      Core one = make_core();
      Core batches = make_core();
      one.set_detectors(all);
      batches.set_detectors(all);
      std::vector<SeriesId> ids;
      std::vector<double> times;
      std::vector<double> values;
      for (int i = 0; i < 400; ++i) {
        const std::string key = "gpu/" + std::to_string(i % 4) + "#q";
        ids.push_back(one.series(key));
        batches.series(key);
        times.push_back(i * 25);
        values.push_back(random() % 10 == 0 ? kAbsent : static_cast<double>(random() % 100));
      }
      for (std::size_t i = 0; i < ids.size(); ++i) {
        one.push(std::span(&ids[i], 1), std::span(&times[i], 1), std::span(&values[i], 1));
      }
      batches.push(ids, times, values);
      const Events a = one.drain();
      const Events b = batches.drain();
      CHECK(!a.edges.empty());
      CHECK_EQ(a.edges.size(), b.edges.size());
      bool equal = a.edges.size() == b.edges.size();
      for (std::size_t i = 0; equal && i < a.edges.size(); ++i) {
        const Transition& x = a.edges[i].transition;
        const Transition& y = b.edges[i].transition;
        equal = *a.edges[i].detector == *b.edges[i].detector && a.edges[i].series == b.edges[i].series &&
                x.onset == y.onset && x.time_ns == y.time_ns && x.value == y.value && x.reference == y.reference;
      }
      CHECK(equal);
    }
  });
  checks::test("onset and clear alternate on every series", [&] {
    std::mt19937 random(7);
    Core core = make_core();
    core.set_detectors({spec(LevelSpec{Side::above, 60, 50, 100 * kMs, 100 * kMs})});
    for (int i = 0; i < 2000; ++i) feed(core, "gpu/a#q", {{i * 0.05, static_cast<double>(random() % 100)}});
    bool wanted = true;
    for (const Edge& edge : core.drain().edges) {
      CHECK_EQ(edge.transition.onset, wanted);
      wanted = !wanted;
    }
  });
}

void refused() {
  checks::test("specifications that cannot work are refused with a reason", [] {
    CHECK(!check(spec(LevelSpec{Side::above, 80, 85, 0, 0})).empty());
    CHECK(!check(spec(LevelSpec{Side::below, 80, 75, 0, 0})).empty());
    CHECK(!check(spec(MaskSpec{0, 0, 0})).empty());
    CHECK(!check(spec(RateSpec{0, 1, 0})).empty());
    CHECK(!check(spec(RateSpec{1, 0, 0})).empty());
    CHECK(!check(spec(DropSpec{Side::below, 0.9, 0.8, kSecond, 5, 1})).empty());
    CHECK(!check(spec(DropSpec{Side::below, 0.9, 0.95, kSecond, 257, 1})).empty());
    CHECK(!check(spec(TrendSpec{Side::above, 90, kSecond, kSecond, 1})).empty());
    CHECK(!check(spec(PeersSpec{Side::above, kAbsent, 1, 0, 0})).empty());
  });
}

}  // namespace

int main() {
  level();
  mask();
  rate();
  drop();
  trend();
  peers();
  set_and_replay();
  refused();
  return checks::result();
}
