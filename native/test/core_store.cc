// Series, history, aggregates, clock and the queue: bounds and exact values.
#include <bit>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "core/core.h"
#include "test/check.h"

using namespace faultline;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMilli = 1'000'000;

void push(Core& core, SeriesId id, double time_ms, double value) {
  core.push(std::span(&id, 1), std::span(&time_ms, 1), std::span(&value, 1));
}

KernelRecord record(std::uint64_t sequence, std::size_t bytes = 10) {
  return {sequence, 0, 0, 3, 0, std::string(bytes, 'x')};
}

void series() {
  checks::test("series: an id for a key, once; bounded in number and length, reported once", [] {
    Core core({60, 2, 0.0});
    CHECK_EQ(core.series("gpu/a#power"), 0u);
    CHECK_EQ(core.series("gpu/b#power"), 1u);
    CHECK_EQ(core.series("gpu/a#power"), 0u);
    CHECK_EQ(core.series("gpu/c#power"), kNoSeries);
    CHECK_EQ(core.series("gpu/d#power"), kNoSeries);
    push(core, kNoSeries, 1, 1);
    push(core, 77, 1, 1);
    const Events events = core.drain();
    CHECK_EQ(events.notices.size(), 1u);
    CHECK_EQ(events.notices[0].type, "series_limit");
    CHECK_EQ(core.stats().samples, 0u);
    Core other({60, 100, 0.0});
    CHECK_EQ(other.series(std::string(513, 'k')), kNoSeries);
    CHECK_EQ(other.series(""), kNoSeries);
  });
  checks::test("series: parts of a key", [] {
    const SeriesKey key = split_key("pdu_outlet/pdu-b#14/7#power");
    CHECK_EQ(key.component, "pdu_outlet/pdu-b#14/7");
    CHECK_EQ(key.component_type, "pdu_outlet");
    CHECK_EQ(key.quantity, "power");
    CHECK_EQ(split_key("no hash").quantity, "");
    CHECK_EQ(split_key("#").component_type, "");
  });
}

void history() {
  checks::test("history: keeps its span and no more", [] {
    History history(10 * kSecond);
    for (int i = 0; i <= 1000; ++i) history.add(0, {i * kSecond / 10, static_cast<double>(i)});
    const auto all = history.read(0, INT64_MIN, INT64_MAX);
    CHECK_EQ(all.size(), 101u);
    CHECK_EQ(all.front().value, 900.0);
    CHECK_EQ(all.back().value, 1000.0);
    CHECK(history.bytes_in_use() <= 4 * 1100);
    const auto some = history.read(0, 95 * kSecond, 96 * kSecond);
    CHECK_EQ(some.size(), 11u);
    CHECK_EQ(some.front().value, 950.0);
    CHECK_EQ(history.read(5, INT64_MIN, INT64_MAX).size(), 0u);
  });
  checks::test("history: a used-up budget takes from the series that holds most", [] {
    History history(1'000'000 * kSecond, 40 * 1024);
    for (int i = 0; i < 10'000; ++i) history.add(0, {i * kSecond, 1.0});
    for (SeriesId id = 1; id < 10; ++id) history.add(id, {kSecond, 2.0});
    CHECK(history.bytes_in_use() <= 40 * 1024);
    for (SeriesId id = 1; id < 10; ++id) CHECK_EQ(history.read(id, INT64_MIN, INT64_MAX).size(), 1u);
    const auto left = history.read(0, INT64_MIN, INT64_MAX);
    CHECK(left.size() >= 1000);
    CHECK_EQ(left.back().time_ns, 9999 * kSecond);
  });
  checks::test("history: times at the ends of the range overflow nothing", [] {
    History history(10 * kSecond);
    for (int i = 0; i < 100; ++i) history.add(0, {INT64_MIN + i, 1.0});
    CHECK_EQ(history.read(0, INT64_MIN, INT64_MAX).size(), 100u);
    for (int i = 0; i < 100; ++i) history.add(0, {INT64_MAX - 100 + i, 2.0});
    const auto left = history.read(0, INT64_MAX - 200, INT64_MAX);
    CHECK_EQ(left.size(), 100u);
    CHECK_EQ(left.back().value, 2.0);
  });
  checks::test("history: what is packed comes back to the bit, whatever it is", [] {
    History history(INT64_MAX);
    std::vector<Sample> given;
    std::uint64_t state = 1;
    const auto next = [&state] { return state = state * 6364136223846793005u + 1442695040888963407u; };
    const double odd[] = {0.0, -0.0, 1.0, -1.0, 5e-324, 1.7976931348623157e308, 0.1, 412.5};
    given.push_back({INT64_MIN, 1.0});
    std::int64_t time_ns = -7'000'000'000'000'000;
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t kind = next() >> 61;
      const double value = kind < 4 ? odd[next() >> 61] : std::bit_cast<double>(next() & 0xffefffffffffffffu);
      given.push_back({time_ns, value});
      time_ns += static_cast<std::int64_t>(next() >> (i % 3 == 0 ? 20 : i % 3 == 1 ? 34 : 63));
    }
    given.push_back({INT64_MAX, 3.0});
    for (const Sample& sample : given) history.add(0, sample);
    const auto read = history.read(0, INT64_MIN, INT64_MAX);
    const std::int64_t oldest = 0;
    std::size_t at = 0;
    while (at < given.size() && given[at].time_ns < oldest) ++at;
    CHECK(at > 1000 && given.size() - at > 1000);
    CHECK_EQ(read.size(), given.size() - at);
    for (std::size_t i = 0; i < read.size(); ++i) {
      CHECK_EQ(read[i].time_ns, given[at + i].time_ns);
      CHECK_EQ(std::bit_cast<std::uint64_t>(read[i].value), std::bit_cast<std::uint64_t>(given[at + i].value));
    }
  });
  checks::test("history: a reading that seldom changes takes a third at most of what it says", [] {
    History history(300 * kSecond);
    for (int i = 0; i < 2000; ++i) history.add(0, {i * kSecond / 2 + i % 7 * 100'000, 40.0 + i / 100});
    CHECK_EQ(history.read(0, INT64_MIN, INT64_MAX).size(), 601u);
    CHECK(history.bytes_packed() < 601 * sizeof(Sample) / 3 + History::kBlockSamples * sizeof(Sample));
  });
  checks::test("history: where none is asked for, none is kept", [] {
    History history(0);
    history.add(0, {1, 1});
    CHECK_EQ(history.bytes_in_use(), 0u);
  });
  checks::test("history: a series that is sampled seldom takes little more than it keeps", [] {
    History history(300 * kSecond);
    for (int i = 0; i < 1000; ++i) history.add(0, {i * 10 * kSecond, static_cast<double>(i)});
    CHECK_EQ(history.read(0, INT64_MIN, INT64_MAX).size(), 31u);
    CHECK(history.bytes_in_use() <= 6 * (8 * sizeof(Sample) + 32));
  });
  checks::test("history: a series that quickens keeps its whole span, and gives it back when it slows", [] {
    History history(60 * kSecond);
    std::int64_t now = 0;
    for (int i = 0; i < 20; ++i) history.add(0, {now += 10 * kSecond, 1});
    for (int i = 0; i < 2000; ++i) history.add(0, {now += kSecond / 10, 2});
    CHECK_EQ(history.read(0, INT64_MIN, INT64_MAX).size(), 601u);
    for (int i = 0; i < 200; ++i) history.add(0, {now += 10 * kSecond, 3});
    CHECK_EQ(history.read(0, INT64_MIN, INT64_MAX).size(), 7u);
    CHECK(history.bytes_in_use() <= 3 * (8 * sizeof(Sample) + 32));
  });
  checks::test("history: samples at one moment, and a budget smaller than a block", [] {
    History history(10 * kSecond, 1);
    for (int i = 0; i < 500; ++i) {
      history.add(0, {kSecond, 1});
      history.add(1, {kSecond, 2});
    }
    CHECK(history.bytes_in_use() <= 64 * sizeof(Sample) + 32);
    CHECK(!history.read(1, INT64_MIN, INT64_MAX).empty());
  });
}

void aggregates() {
  checks::test("aggregates: since the last time, in order of id, absent values left out", [] {
    Core core({60, 10, 0.0});
    const SeriesId a = core.series("gpu/a#x");
    const SeriesId b = core.series("gpu/b#x");
    push(core, b, 1, 5);
    push(core, a, 1, 4);
    push(core, a, 3, -2);
    push(core, a, 2, 1);  // late: counted, but not the last
    push(core, a, 4, std::nan(""));
    push(core, a, 5, std::numeric_limits<double>::infinity());
    const auto taken = core.aggregates();
    CHECK_EQ(taken.size(), 2u);
    CHECK_EQ(taken[0].series, a);
    CHECK_EQ(taken[0].count, 3u);
    CHECK_EQ(taken[0].min, -2.0);
    CHECK_EQ(taken[0].max, 4.0);
    CHECK_NEAR(taken[0].mean, 1.0, 1e-12);
    CHECK_EQ(taken[0].last, -2.0);
    CHECK_EQ(taken[0].last_ns, 3'000'000);
    CHECK_EQ(core.aggregates().size(), 0u);
  });
  checks::test("aggregates: the mean of the largest numbers is a number", [] {
    Core core({60, 10, 0.0});
    const SeriesId a = core.series("gpu/a#x");
    constexpr double kHuge = std::numeric_limits<double>::max();
    for (int i = 0; i < 4; ++i) push(core, a, i, i % 2 == 0 ? kHuge : -kHuge);
    CHECK(std::isfinite(core.aggregates()[0].mean));
  });
}

void clocks() {
  checks::test("clock: there and back within a microsecond, far times stay at the ends", [] {
    const SteadyClock clock(1'795'822'716'405.25);
    for (const std::int64_t ns : {0LL, 1'234'567'890LL, 86'400LL * 365 * kSecond}) {
      CHECK_NEAR(static_cast<double>(clock.from_ms(clock.to_ms(ns)) - ns), 0.0, 1000.0);
    }
    CHECK_EQ(clock.from_ms(std::numeric_limits<double>::infinity()), INT64_MAX);
    CHECK_EQ(clock.from_ms(-1e300), INT64_MIN);
    CHECK_EQ(clock.from_ms(std::nan("")), 0);
  });
  const ClockReading start{100 * kSecond, 1'795'000'000 * kSecond, 90'000 * kSecond};
  const auto later = [start](std::int64_t ms, std::int64_t stepped_ms, std::int64_t slept_ms) {
    const std::int64_t by = ms * kMilli;
    return ClockReading{start.monotonic + by, start.realtime + by + (stepped_ms + slept_ms) * kMilli,
                        start.boottime + by + slept_ms * kMilli};
  };
  checks::test("clock: a step is reported once, both ways, with its size and since when it may have been", [later] {
    ClockWatch watch(later(0, 0, 0));
    CHECK(!watch.check(later(1000, 0, 0)));
    const auto back = watch.check(later(2000, -3'600'000, 0));
    CHECK(back.has_value());
    CHECK_NEAR(back ? back->step_ms : 0, -3600e3, 1e-6);
    CHECK_EQ(back ? back->suspended_ms : 1, 0.0);
    CHECK_EQ(back ? back->previous_ns : 0, later(1000, 0, 0).monotonic);
    CHECK(!watch.check(later(3000, -3'600'000, 0)));
    const auto forth = watch.check(later(4000, -3'599'500, 0));
    CHECK_NEAR(forth ? forth->step_ms : 0, 500, 1e-6);
    CHECK(!watch.check(later(5000, -3'599'500, 0)));
  });
  checks::test("clock: a suspend is told apart from a step, and both from one look where both were", [later] {
    ClockWatch watch(later(0, 0, 0));
    const auto slept = watch.check(later(1000, 0, 10'000));
    CHECK_NEAR(slept ? slept->suspended_ms : 0, 10e3, 1e-6);
    CHECK_EQ(slept ? slept->step_ms : 1, 0.0);
    CHECK(!watch.check(later(2000, 0, 10'000)));
    const auto both = watch.check(later(3000, -2500, 70'000));
    CHECK_NEAR(both ? both->suspended_ms : 0, 60e3, 1e-6);
    CHECK_NEAR(both ? both->step_ms : 0, -2500, 1e-6);
  });
  checks::test("clock: 500 ppm for a day is not a step, with looks close together or far apart", [later] {
    ClockWatch often(later(0, 0, 0));
    for (std::int64_t s = 1; s <= 86'400; ++s) CHECK(!often.check(later(1000 * s, s / 2, 0)));
    ClockWatch seldom(later(0, 0, 0));
    for (std::int64_t m = 1; m <= 24; ++m) CHECK(!seldom.check(later(3'600'000 * m, 1800 * m, 0)));
  });
  checks::test("clock: small steps in a row are reported when together they are one", [later] {
    ClockWatch watch(later(0, 0, 0));
    std::vector<double> steps;
    for (std::int64_t i = 1; i <= 5; ++i) {
      if (const auto jump = watch.check(later(1000 * i, 45 * i, 0))) steps.push_back(jump->step_ms);
    }
    CHECK_EQ(steps.size(), 1u);
    CHECK_NEAR(steps.empty() ? 0 : steps[0], 135, 1e-6);
  });
}

void queue() {
  checks::test("queue: records go first and oldest first, what was lost is counted and reported once", [] {
    Core core({60, 10, 0.0});
    for (int i = 0; i < 1000; ++i) core.notice({"device", 0, "", "", "", 0});
    for (std::uint64_t i = 0; i < 10'000; ++i) core.record(record(i));
    const Events events = core.drain();
    CHECK_EQ(events.records.size(), 3096u);
    CHECK_EQ(events.records.back().sequence, 9999u);
    CHECK_EQ(events.notices.size(), 1001u);
    CHECK_EQ(events.notices.back().type, "queue_overflow");
    CHECK_EQ(events.notices.back().value, 6904.0);
    CHECK_EQ(core.stats().records_lost, 6904u);
    CHECK_EQ(core.drain().notices.size(), 0u);
  });
  checks::test("queue: a full queue of notices still takes the newest, and refuses a record", [] {
    EventQueue queue;
    for (int i = 0; i < 5000; ++i) queue.add(Notice{"device", 0, "", "", "", static_cast<double>(i)});
    queue.add(record(1));
    const Events events = queue.take();
    CHECK_EQ(events.notices.size(), EventQueue::kMaxEvents);
    CHECK_EQ(events.notices.back().value, 4999.0);
    CHECK_EQ(events.records.size(), 0u);
    CHECK_EQ(events.lost, 905u);
  });
  checks::test("queue: bytes are bounded too", [] {
    EventQueue queue;
    for (std::uint64_t i = 0; i < 4000; ++i) queue.add(record(i, 8000));
    const Events events = queue.take();
    CHECK(events.records.size() * 8000 <= EventQueue::kMaxRecordBytes);
    CHECK_EQ(events.records.back().sequence, 3999u);
    CHECK_EQ(events.records.size() + events.lost, 4000u);
  });
  checks::test("queue: one wake until it is drained, none when nothing waits", [] {
    Core core({60, 10, 0.0});
    int wakes = 0;
    core.set_wake([&] { ++wakes; });
    CHECK_EQ(wakes, 0);
    for (int i = 0; i < 100; ++i) core.notice({"state", 0, "", "", "", 0});
    CHECK_EQ(wakes, 1);
    CHECK(core.claim_wake());
    CHECK(!core.claim_wake());
    core.drain();
    CHECK(!core.claim_wake());
    core.notice({"state", 0, "", "", "", 0});
    CHECK_EQ(wakes, 2);
    core.set_wake([&] { wakes += 100; });
    CHECK_EQ(wakes, 102);
  });
  checks::test("close: stops readers, takes nothing more, may be called again", [] {
    struct Counting final : Reader {
      void stop() override { ++stops; }
      int stops = 0;
    };
    const auto early = std::make_shared<Counting>();
    const auto late = std::make_shared<Counting>();
    Core core({60, 10, 0.0});
    core.attach(early);
    core.close();
    core.close();
    core.attach(late);
    core.notice({"state", 0, "", "", "", 0});
    CHECK_EQ(early->stops, 1);
    CHECK_EQ(late->stops, 1);
    CHECK_EQ(core.stats().pending_events, 0u);
  });
}

void threads() {
  checks::test("readers, detectors and JavaScript's calls may all run at once", [] {
    Core core({10, 100, std::nullopt});
    std::atomic<int> wakes{0};
    core.set_wake([&] { wakes.fetch_add(1); });
    std::vector<std::thread> readers;
    for (int reader = 0; reader < 3; ++reader) {
      readers.emplace_back([&core, reader] {
        const SeriesId id = core.series("gpu/" + std::to_string(reader) + "#x");
        for (int i = 0; i < 3000; ++i) {
          core.sample(id, monotonic_now(), i % 20);
          core.record(record(static_cast<std::uint64_t>(i)));
        }
      });
    }
    std::size_t edges = 0;
    for (int i = 0; i < 300; ++i) {
      core.set_detectors({{"d", "gpu", "x", LevelSpec{Side::above, 10.0 + i % 3, 5, 0, 0}}});
      edges += core.drain().edges.size();
      core.aggregates();
      core.history("gpu/1#x", 0, 1e15);
      core.stats();
      core.claim_wake();
    }
    for (std::thread& reader : readers) reader.join();
    edges += core.drain().edges.size();
    CHECK_EQ(core.stats().samples, 9000u);
    CHECK_EQ(core.stats().edges, edges);
    core.close();
  });
}

void times_in_ms() {
  checks::test("a sample is found by the ms that JavaScript has of it, wherever its ns fall between two doubles", [] {
    Core core({3600, 10, 1'764'000'000'000.123});
    const SeriesId id = core.series("gpu/0#x");
    for (std::int64_t i = 0; i < 1000; ++i) core.sample(id, i * 100'000'037, static_cast<double>(i));
    std::size_t found = 0;
    for (const Sample& each : core.history("gpu/0#x", 0, 1e15)) {
      const double its_ms = core.clock().to_ms(each.time_ns);
      const std::vector<Sample> at = core.history("gpu/0#x", its_ms, its_ms);
      if (at.size() == 1 && at[0].time_ns == each.time_ns) ++found;
    }
    CHECK_EQ(found, 1000u);
  });
}

}  // namespace

int main() {
  series();
  history();
  aggregates();
  clocks();
  queue();
  threads();
  times_in_ms();
  return checks::result();
}
