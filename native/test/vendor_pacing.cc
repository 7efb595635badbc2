// How the child restrains itself: budgets, lanes, what sensors can do, rests after timeouts, floods of events.
// The child is a program, not a library, so its parts are compiled in here.
#include "vendor/budget.cc"
#include "vendor/event_flood.cc"
#include "vendor/lanes.cc"
#include "vendor/sensor_series.cc"

#include <string>
#include <utility>
#include <vector>

#include "check.h"
#include "vendor/call_retry.h"
#include "vendor/nvml/event_types.h"
#include "vendor/rest.h"
#include "vendor/work_watch.h"

using namespace faultline;
using checks::test;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHalfSecond = kSecond / 2;

Budget one_percent() { return {0.01, kLongestIntervalNs}; }

void budgets() {
  test("cheap calls keep the interval that was asked for", [] {
    Budget budget = one_percent();
    for (int i = 0; i < 100; ++i) CHECK_EQ(budget.next_interval_ns(kHalfSecond, kMs), kHalfSecond);
    CHECK(!budget.throttled());
  });

  test("calls over the share stretch the interval until they fit, and cheap ones bring it back", [] {
    Budget budget = one_percent();
    std::int64_t interval = 0;
    for (int i = 0; i < 100; ++i) interval = budget.next_interval_ns(kHalfSecond, 20 * kMs);
    CHECK(budget.throttled());
    CHECK_EQ(interval, 2 * kSecond);
    for (int i = 0; i < 100; ++i) interval = budget.next_interval_ns(kHalfSecond, kMs / 10);
    CHECK(!budget.throttled());
    CHECK_EQ(interval, kHalfSecond);
  });

  test("the rare long call counts: two in a hundred stretch, whatever the mean is", [] {
    Budget budget = one_percent();
    std::int64_t interval = 0;
    for (int i = 0; i < 101; ++i) interval = budget.next_interval_ns(kHalfSecond, i % 50 == 1 ? 30 * kMs : kMs / 10);
    CHECK_EQ(interval, 3 * kSecond);
    CHECK_EQ(budget.p99_ns(), 30 * kMs);
  });

  test("the first round and a single slow one are forgiven, and no call stretches beyond a minute", [] {
    Budget budget = one_percent();
    CHECK_EQ(budget.next_interval_ns(kHalfSecond, 3 * kSecond), kHalfSecond);
    CHECK_EQ(budget.next_interval_ns(kHalfSecond, kMs), kHalfSecond);
    CHECK_EQ(budget.next_interval_ns(kHalfSecond, 20 * kMs), kHalfSecond);
    Budget hopeless = one_percent();
    std::int64_t interval = 0;
    for (int i = 0; i < 100; ++i) interval = hopeless.next_interval_ns(kHalfSecond, 9 * kSecond);
    CHECK_EQ(interval, 60 * kSecond);
  });

  test("a dear slow pass stretches the slow lane only", [] {
    Lanes lanes(0);
    std::int64_t now = 0, interval = 0, library = 0;
    int passes = 0;
    for (; now < 600 * kSecond; now += interval) {
      if (lanes.slow_due(now)) {
        lanes.slow_begins(now, std::exchange(library, 0));
        library += 100 * kMs;
        ++passes;
      }
      library += kMs;
      interval = lanes.after_round(kHalfSecond, kMs);
      CHECK_EQ(interval, kHalfSecond);
    }
    CHECK_EQ(lanes.slow_p99_ns(), 100 * kMs);
    // 0.24 % of the time for 100 ms is one pass in 42 s.
    CHECK(passes >= 600 / 42 && passes <= 600 / 42 + 4);
    CHECK(!lanes.throttled());
  });

  test("both lanes together stay within one percent however dear the calls are", [] {
    for (const std::int64_t fast : {kMs, 5 * kMs, 40 * kMs}) {
      for (const std::int64_t slow : {10 * kMs, 200 * kMs}) {
        Lanes lanes(0);
        std::int64_t library = 0, spent = 0;
        constexpr std::int64_t kRun = 3600 * kSecond;
        for (std::int64_t now = 0; now < kRun;) {
          if (lanes.slow_due(now)) {
            lanes.slow_begins(now, std::exchange(library, 0));
            library += slow;
            spent += slow;
          }
          library += fast;
          spent += fast;
          now += lanes.after_round(100 * kMs, fast);
        }
        CHECK(static_cast<double>(spent) / kRun <= 0.01);
      }
    }
  });

  test("nothing is read more often than its sensor changes, not even in a burst", [] {
    Lanes lanes(120 * kMs);
    CHECK_EQ(lanes.after_round(100 * kMs, kMs / 100), 120 * kMs);
    CHECK_EQ(lanes.after_round(kHalfSecond, kMs / 100), kHalfSecond);
    CHECK_EQ(lanes.interval_ns(10 * kMs), 120 * kMs);
  });
}

void sensors() {
  test("a sensor's refresh is the time between changes, however often it is read", [] {
    SensorSeries series;
    for (std::int64_t now = 0; now < 250 * kMs; now += 5 * kMs) series.add(now, static_cast<double>(now / (20 * kMs)));
    CHECK_EQ(series.refresh_ns(), 20 * kMs);
  });

  test("a value that does not change, or changes too seldom to say, gives no refresh", [] {
    SensorSeries still, rare;
    for (std::int64_t now = 0; now < 250 * kMs; now += 5 * kMs) {
      still.add(now, 400);
      rare.add(now, now < 100 * kMs ? 1 : 2);
    }
    CHECK_EQ(still.refresh_ns(), 0);
    CHECK_EQ(rare.refresh_ns(), 0);
    CHECK_EQ(SensorSeries{}.refresh_ns(), 0);
    SensorSeries idle;
    for (int i = 0; i < 5; ++i) idle.add(i * kSecond, i);
    CHECK_EQ(idle.refresh_ns(), 0);
  });
}

void rests() {
  test("a device rests longer after each timeout, for a minute at most, and is as new once it answered", [] {
    Rest rest;
    std::int64_t now = 0;
    CHECK(!rest.resting(now));
    for (const std::int64_t pause : {1, 2, 4, 8, 16, 32, 60, 60}) {
      CHECK(rest.timed_out(now));
      CHECK(!rest.timed_out(now));  // while it rests nothing is asked; a second word for one timeout counts once
      CHECK(rest.resting(now + pause * kSecond - 1));
      CHECK(!rest.resting(now + pause * kSecond));
      now += pause * kSecond;
    }
    rest.answered();
    CHECK(rest.timed_out(now));
    CHECK_EQ(rest.pause_ns(), kSecond);
  });

  test("work begins after a rest and is over after one; a pause between two steps is neither", [] {
    WorkWatch watch;
    CHECK(!watch.update(true, 0));  // at the start the list is read anyhow
    CHECK(!watch.update(false, kSecond));
    CHECK(!watch.update(true, 9 * kSecond));
    CHECK(!watch.update(false, 18 * kSecond));
    CHECK(watch.update(false, 19 * kSecond));
    CHECK(!watch.update(false, 40 * kSecond));
    CHECK(watch.update(true, 41 * kSecond));
    CHECK(!watch.update(true, 42 * kSecond));
    WorkWatch idle;
    CHECK(!idle.update(false, 0));
    CHECK(!idle.update(false, 100 * kSecond));
    CHECK(idle.update(true, 101 * kSecond));
  });

  test("a call that keeps failing is paused for from 100 ms to 30 s and reported once, as is its return", [] {
    CallRetry retry;
    std::vector<int> pauses;
    int reported = 0;
    for (int i = 0; i < 12; ++i) {
      reported += retry.failed() ? 1 : 0;
      pauses.push_back(retry.pause_ms());
    }
    CHECK_EQ(reported, 1);
    CHECK_EQ(pauses[0], 100);
    CHECK_EQ(pauses[1], 200);
    CHECK_EQ(pauses[8], 25'600);
    CHECK_EQ(pauses[11], 30'000);
    CHECK(retry.worked());
    CHECK(!retry.worked());
    CHECK(!retry.failed());
    CHECK_EQ(retry.pause_ms(), 100);
    CHECK(!retry.worked());  // one failure was never reported
  });
}

void events() {
  test("only known event types are asked for, and each has a name", [] {
    using nvml::event_word_of, nvml::wanted_events;
    CHECK_EQ(wanted_events(~0ULL), 0xff9bULL);
    CHECK_EQ(wanted_events(0x8), 0x8ULL);
    CHECK_EQ(wanted_events(0x4), 0ULL);  // P-states change with every load
    for (const nvml::EventType& type : nvml::kEventTypes) CHECK(event_word_of(type.bit) == type.word);
    CHECK(event_word_of(0x9) == EventWord::kXid);
    CHECK(event_word_of(0) == EventWord::kEnd);
    CHECK(event_word_of(1ULL << 40) == EventWord::kEnd);
  });

  test("a flood is reported eight times, then counted, and the count is reported when it ebbs", [] {
    EventFlood flood;
    const EventKey storm{3, EventWord::kEccSingleBit, 0};
    int reported = 0;
    for (int i = 0; i < 100'000; ++i) reported += flood.admit(storm, i * 1000).has_value() ? 1 : 0;
    CHECK_EQ(reported, 8);
    CHECK(!flood.ebbed(kSecond));
    CHECK_EQ(flood.admit({4, EventWord::kEccSingleBit, 0}, kSecond).value_or(99), 0U);  // another device is not held back by it
    const auto held = flood.ebbed(6 * kSecond);
    CHECK(held.has_value());
    CHECK_EQ(held ? held->count : 0, 99'992U);
    CHECK(!flood.ebbed(600 * kSecond));
  });

  test("events that keep coming slowly are reported with the number in between", [] {
    EventFlood flood;
    const EventKey key{0, EventWord::kXid, 13};
    for (int i = 0; i < 20; ++i) flood.admit(key, 0);
    CHECK_EQ(flood.admit(key, 5 * kSecond + 1).value_or(0), 12U);
    CHECK_EQ(flood.admit(key, 10 * kSecond + 2).value_or(99), 0U);
  });

  test("no number of kinds takes more than bounded memory, and time that goes back changes nothing", [] {
    EventFlood flood;
    for (unsigned xid = 0; xid < 5000; ++xid) CHECK(flood.admit({0, EventWord::kXid, xid}, xid).has_value());
    EventFlood back;
    for (int i = 0; i < 8; ++i) CHECK(back.admit({0, EventWord::kEccSingleBit, 0}, kSecond).has_value());
    CHECK(!back.admit({0, EventWord::kEccSingleBit, 0}, 0).has_value());
  });
}

}  // namespace

int main() {
  budgets();
  sensors();
  rests();
  events();
  return checks::result();
}
