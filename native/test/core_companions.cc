// What a detector looks at besides its own series: another quantity, conditions, the group of its peers.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/core.h"
#include "test/check.h"

using namespace faultline;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Core make_core() { return Core({600, 200, 0.0}); }

void feed(Core& core, const std::string& key, double at_s, double value) {
  const SeriesId id = core.series(key);
  const double time_ms = at_s * 1000;
  core.push(std::span(&id, 1), std::span(&time_ms, 1), std::span(&value, 1));
}

std::string edges_of(Core& core) {
  std::string text;
  for (const Edge& edge : core.drain().edges) {
    if (!text.empty()) text += ' ';
    text += edge.transition.onset ? "on" : "off";
    text += '@';
    text += std::to_string(static_cast<int>(std::lround(edge.transition.time_ns / 1e9)));
  }
  return text;
}

DetectorSpec link_slower_than_its_own_best() {
  DetectorSpec spec{"slow-link", "gpu", "generation", LevelSpec{Side::below, 1, 1, 2 * kSecond, 0}};
  spec.against = Against{"generation_max", true, 0};
  spec.only = {Guard{"load", "", Holds::above, 0.5, 5 * kSecond, true}};
  return spec;
}

void against() {
  checks::test("against: a value is held against the component's own other one, known first or last", [] {
    Core core = make_core();
    core.set_detectors({DetectorSpec{"d", "gpu", "q", LevelSpec{Side::below, 1, 1, 0, 0}, Against{"best", true, 0}}});
    feed(core, "gpu/a#q", 0, 3);
    feed(core, "gpu/b#best", 0, 5);
    feed(core, "gpu/a#q", 1, 3);
    CHECK_EQ(edges_of(core), "");
    feed(core, "gpu/a#best", 2, 5);
    feed(core, "gpu/a#q", 3, 3);
    feed(core, "gpu/a#q", 4, 5);
    CHECK_EQ(edges_of(core), "on@3 off@4");
  });
  checks::test("against: a difference, and an other that is too old", [] {
    Core core = make_core();
    core.set_detectors(
        {DetectorSpec{"d", "gpu", "t", LevelSpec{Side::above, -5, -8, 0, 0}, Against{"limit", false, 10 * kSecond}}});
    feed(core, "gpu/a#limit", 0, 90);
    feed(core, "gpu/a#t", 1, 86);
    feed(core, "gpu/a#t", 20, 50);
    CHECK_EQ(edges_of(core), "on@1");
    feed(core, "gpu/a#limit", 21, 90);
    feed(core, "gpu/a#t", 22, 50);
    CHECK_EQ(edges_of(core), "off@22");
  });
  checks::test("against: nothing is divided by zero", [] {
    Core core = make_core();
    core.set_detectors({DetectorSpec{"d", "gpu", "q", LevelSpec{Side::below, 1, 1, 0, 0}, Against{"best", true, 0}}});
    feed(core, "gpu/a#best", 0, 0);
    feed(core, "gpu/a#q", 1, 0);
    feed(core, "gpu/a#q", 2, -3);
    CHECK_EQ(edges_of(core), "");
  });
}

void only() {
  checks::test("only: what is seen without load neither begins nor ends, and a dwell begins again", [] {
    Core core = make_core();
    core.set_detectors({link_slower_than_its_own_best()});
    feed(core, "gpu/a#generation_max", 0, 5);
    const auto round = [&](double at, double load, double generation) {
      feed(core, "gpu/a#load", at, load);
      feed(core, "gpu/a#generation", at, generation);
    };
    for (double at = 0; at < 20; ++at) round(at, 0, 1);  // idle: the link saves power
    round(20, 1, 1);
    round(21, 1, 5);
    round(22, 0, 1);
    round(40, 1, 1);
    CHECK_EQ(edges_of(core), "");
    round(41, 1, 1);
    round(42, 1, 1);
    CHECK_EQ(edges_of(core), "on@40");
    round(43, 0, 5);
    CHECK_EQ(edges_of(core), "");
    round(44, 1, 5);
    CHECK_EQ(edges_of(core), "off@44");
  });
  checks::test("only: a condition that is not known, or too old, does not hold", [] {
    Core core = make_core();
    core.set_detectors({link_slower_than_its_own_best()});
    feed(core, "gpu/a#generation_max", 0, 5);
    for (double at = 0; at < 10; ++at) feed(core, "gpu/a#generation", at, 3);
    feed(core, "gpu/a#load", 10, 1);
    for (double at = 16; at < 30; ++at) feed(core, "gpu/a#generation", at, 3);
    CHECK_EQ(edges_of(core), "");
  });
  checks::test("only: where the rule says so, the end of the condition is the end of the anomaly", [] {
    Core core = make_core();
    DetectorSpec spec{"d", "gpu", "margin", LevelSpec{Side::below, 5, 5, 0, 0}};
    spec.only = {Guard{"load", "", Holds::above, 0.5, 0, false}, Guard{"other", "", Holds::absent, 0, 0, false}};
    core.set_detectors({spec});
    feed(core, "gpu/a#load", 0, 1);
    feed(core, "gpu/a#margin", 1, 3);
    feed(core, "gpu/a#load", 2, 0);
    feed(core, "gpu/a#margin", 3, 3);
    CHECK_EQ(edges_of(core), "on@1 off@3");
    feed(core, "gpu/a#load", 4, 1);
    feed(core, "gpu/a#other", 4, 1);
    feed(core, "gpu/a#margin", 5, 3);
    CHECK_EQ(edges_of(core), "");
  });
  checks::test("only: what is not known can be said to hold", [] {
    Core core = make_core();
    DetectorSpec spec{"d", "gpu", "reasons", MaskSpec{4, 0, 0}};
    spec.only = {Guard{"state", "", Holds::below, 8, 0, false, true}};
    core.set_detectors({spec});
    feed(core, "gpu/a#reasons", 1, 4);
    feed(core, "gpu/a#state", 2, 8);
    feed(core, "gpu/a#reasons", 3, 4);
    CHECK_EQ(edges_of(core), "on@1 off@3");
  });
  checks::test("only: one quantity against another", [] {
    Core core = make_core();
    DetectorSpec spec{"d", "gpu", "reasons", MaskSpec{4, 0, 0}};
    spec.only = {Guard{"power", "limit", Holds::above, 0.95, 0, false}};
    core.set_detectors({spec});
    feed(core, "gpu/a#limit", 0, 700);
    feed(core, "gpu/a#power", 0, 400);
    feed(core, "gpu/a#reasons", 1, 4);
    feed(core, "gpu/a#power", 2, 690);
    feed(core, "gpu/a#reasons", 3, 4);
    CHECK_EQ(edges_of(core), "on@3");
  });
  checks::test("only: a counter is followed while its condition does not hold", [] {
    Core core = make_core();
    DetectorSpec spec{"d", "gpu", "errors", RateSpec{1, 10 * kSecond, 0}};
    spec.only = {Guard{"load", "", Holds::above, 0.5, 0, false}};
    core.set_detectors({spec});
    feed(core, "gpu/a#errors", 0, 0);
    feed(core, "gpu/a#errors", 5, 100);
    feed(core, "gpu/a#load", 50, 1);
    feed(core, "gpu/a#errors", 50, 101);
    CHECK_EQ(edges_of(core), "");
    feed(core, "gpu/a#errors", 55, 120);
    CHECK_EQ(edges_of(core), "on@55");
  });
}

void mask_without() {
  checks::test("mask: the umbrella counts only where no named cause is set with it", [] {
    Core core = make_core();
    core.set_detectors({DetectorSpec{"d", "gpu", "q", MaskSpec{0x8, 2 * kSecond, 0, 0xe0}}});
    for (double at = 0; at < 10; ++at) feed(core, "gpu/a#q", at, 0x88);
    CHECK_EQ(edges_of(core), "");
    for (double at = 10; at < 13; ++at) feed(core, "gpu/a#q", at, 0x8);
    feed(core, "gpu/a#q", 13, 0x48);
    CHECK_EQ(edges_of(core), "on@10 off@13");
  });
}

void groups() {
  PeersSpec slow{Side::below, 0.2, 2, 0, 0};
  slow.grouped = true;
  const auto round = [](Core& core, double at, std::vector<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) feed(core, "gpu/" + std::to_string(i) + "#q", at, values[i]);
  };
  checks::test("peers: only those of the same group; without a group there are none", [&] {
    Core core = make_core();
    core.set_detectors({DetectorSpec{"d", "gpu", "q", slow}});
    round(core, 0, {100, 100, 100, 50, 50, 50});
    round(core, 1, {100, 100, 100, 50, 50, 50});
    CHECK_EQ(edges_of(core), "");
    for (int i = 0; i < 6; ++i) core.set_group("gpu/" + std::to_string(i), i < 3 ? 1 : 2);
    round(core, 2, {100, 100, 100, 50, 50, 50});
    round(core, 3, {100, 100, 100, 50, 50, 50});
    CHECK_EQ(edges_of(core), "");
    round(core, 4, {70, 100, 100, 50, 50, 50});
    CHECK_EQ(edges_of(core), "on@4");
    core.set_group("gpu/0", std::nullopt);
    round(core, 5, {70, 100, 100, 50, 50, 50});
    CHECK_EQ(edges_of(core), "off@5");
  });
}

void any_order() {
  checks::test("absent, endless and unknown values of another quantity never cause an edge", [] {
    std::mt19937 random(11);
    Core core = make_core();
    core.set_detectors({link_slower_than_its_own_best()});
    const double hostile[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 0};
    for (int i = 0; i < 4000; ++i) {
      feed(core, "gpu/a#load", i, 1);
      feed(core, "gpu/a#generation_max", i, hostile[random() % 4]);
      feed(core, "gpu/a#generation", i, hostile[random() % 4]);
    }
    CHECK_EQ(edges_of(core), "");
  });
}

void blanks() {
  checks::test("a number that stands for no value is not a sample, whatever watches", [] {
    const double numbers[] = {2147483632, 2147483635, 4294967295, 4294967.295, 9223372036854775792.0, 9223372036854775807.0,
                              18446744073709551615.0, 140737488355328.0};
    for (const double blank : numbers) {
      Core core = make_core();
      core.set_detectors({DetectorSpec{"level", "gpu", "q", LevelSpec{Side::above, 1000, 1000, 0, 0}},
                          DetectorSpec{"rate", "gpu", "q", RateSpec{0.001, kSecond, 0}},
                          DetectorSpec{"drop", "gpu", "q", DropSpec{Side::above, 1.1, 1.1, 60 * kSecond, 2, 1}}});
      for (double at = 0; at < 5; ++at) feed(core, "gpu/a#q", at, 7);
      feed(core, "gpu/a#q", 5, blank);
      feed(core, "gpu/a#q", 6, 7);
      CHECK_EQ(edges_of(core), "");
      CHECK_EQ(core.history("gpu/a#q", 0, 1e9).size(), 6u);
    }
  });
}

void refused() {
  checks::test("companions that cannot work are refused with a reason", [] {
    DetectorSpec spec{"d", "gpu", "q", RateSpec{1, kSecond, 0}, Against{"other", true, 0}};
    CHECK(!check(spec).empty());
    spec = {"d", "gpu", "q", LevelSpec{}, Against{"", true, 0}};
    CHECK(!check(spec).empty());
    spec = {"d", "gpu", "q", MaskSpec{0xc, 0, 0, 0x8}};
    CHECK(!check(spec).empty());
    spec = {"d", "gpu", "q", LevelSpec{}};
    CHECK(check(spec).empty());
    spec.only.assign(9, Guard{"x", "", Holds::above, 0, 0, false});
    CHECK(!check(spec).empty());
    spec.only.assign(1, Guard{"x", "", Holds::above, std::nan(""), 0, false});
    CHECK(!check(spec).empty());
  });
}

}  // namespace

int main() {
  against();
  only();
  mask_without();
  groups();
  any_order();
  blanks();
  refused();
  return checks::result();
}
