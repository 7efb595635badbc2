// Which devices children leave alone, and for how long.
#include "check.h"
#include "core/vendor/exclusions.h"

using namespace faultline;
using checks::test;

namespace {

constexpr std::int64_t kMinute = 60'000'000'000;
const std::vector<std::string> kKnown{"0000:1b:00.0", "0000:43:00.0"};
using Lifted = Exclusions::Lifted;

void exclusions() {
  test("a hung device is left out by address and index until its pause is over", [] {
    Exclusions list(kMinute);
    CHECK_EQ(list.argument(kKnown, Lifted::kTried), std::string("0000:1b:00.0,0000:43:00.0"));
    CHECK(!list.next_due_ns());
    list.add("0000:1b:00.0", 0, Exclusions::Why::kHung, 0);
    list.add("", 5, Exclusions::Why::kHung, 1);
    CHECK_EQ(list.argument(kKnown, Lifted::kTried), std::string("!0000:1b:00.0@0,0000:43:00.0,!@5"));
    CHECK_EQ(list.next_due_ns().value_or(-1), kMinute);
    CHECK(!list.lift_due(kMinute - 1));
    CHECK(list.lift_due(kMinute));
    CHECK_EQ(list.argument(kKnown, Lifted::kTried), std::string("0000:1b:00.0,0000:43:00.0,!@5"));
  });

  test("each failure doubles the pause, up to an hour", [] {
    Exclusions list(kMinute);
    std::int64_t now = 0, pause = 0;
    for (int i = 0; i < 12; ++i) {
      list.add("0000:1b:00.0", 0, Exclusions::Why::kHung, now);
      pause = *list.next_due_ns() - now;
      now = *list.next_due_ns();
      CHECK(list.lift_due(now));
    }
    CHECK_EQ(pause, 60 * kMinute);
  });

  test("a device that answers is forgotten, its pause with it", [] {
    Exclusions list(kMinute);
    list.add("0000:1b:00.0", 0, Exclusions::Why::kHung, 0);
    list.forget("0000:1b:00.0", 0);  // not tried yet: a sample from before the hang
    CHECK(list.next_due_ns().has_value());
    list.lift_due(kMinute);
    list.forget("0000:1b:00.0", 0);
    list.add("0000:1b:00.0", 0, Exclusions::Why::kHung, kMinute);
    CHECK_EQ(list.next_due_ns().value_or(-1), 2 * kMinute);
  });

  test("a lost device is tried again without being left out meanwhile", [] {
    Exclusions list(kMinute);
    list.add("0000:1b:00.0", 0, Exclusions::Why::kLost, 0);
    CHECK_EQ(list.argument(kKnown, Lifted::kTried), std::string("0000:1b:00.0,0000:43:00.0"));
    CHECK_EQ(list.next_due_ns().value_or(-1), kMinute);
  });

  test("a lost device that a child held is left out, and looked at again within five minutes at most", [] {
    Exclusions list(kMinute);
    std::int64_t now = 0, pause = 0;
    for (int i = 0; i < 12; ++i) {
      list.add("0000:1b:00.0", 0, Exclusions::Why::kLostAndHeld, now);
      CHECK_EQ(list.argument(kKnown, Lifted::kTried), std::string("!0000:1b:00.0@0,0000:43:00.0"));
      pause = *list.next_due_ns() - now;
      now = *list.next_due_ns();
      CHECK(list.lift_due(now));
    }
    CHECK_EQ(pause, 5 * kMinute);
  });

  test("a release forgets what was lost and keeps what hung", [] {
    Exclusions list(kMinute);
    list.add("0000:1b:00.0", 0, Exclusions::Why::kLostAndHeld, 0);
    list.add("0000:43:00.0", 1, Exclusions::Why::kHung, 0);
    list.forget_lost();
    CHECK_EQ(list.argument(kKnown, Lifted::kTried), std::string("0000:1b:00.0,!0000:43:00.0@1"));
  });

  test("what a candidate tries is left out by the child that runs meanwhile", [] {
    Exclusions list(kMinute);
    list.add("0000:1b:00.0", 0, Exclusions::Why::kHung, 0);
    list.lift_due(kMinute);
    CHECK_EQ(list.argument(kKnown, Lifted::kTried), std::string("0000:1b:00.0,0000:43:00.0"));
    CHECK_EQ(list.argument(kKnown, Lifted::kLeftOut), std::string("!0000:1b:00.0@0,0000:43:00.0"));
  });

  test("a device is itself by its address, whatever index it has; an index alone ends with the driver's count", [] {
    Exclusions list(kMinute);
    list.add("0000:1b:00.0", 0, Exclusions::Why::kHung, 0);
    list.add("0000:43:00.0", 0, Exclusions::Why::kHung, 0);
    list.add("0000:1b:00.0", 1, Exclusions::Why::kHung, 0);
    CHECK_EQ(list.argument({}, Lifted::kTried), std::string("!0000:1b:00.0@1,!0000:43:00.0@0"));
    list.add("", 7, Exclusions::Why::kHung, 0);
    list.forget_indices();
    CHECK_EQ(list.argument({}, Lifted::kTried), std::string("!0000:1b:00.0@1,!0000:43:00.0@0"));
    CHECK_EQ(Exclusions(kMinute).argument({}, Lifted::kTried), std::string("-"));
    CHECK(list.holds("0000:43:00.0") && !list.holds("0000:61:00.0"));
  });

  test("what a failed attempt had lifted is left out again", [] {
    Exclusions list(kMinute);
    list.add("0000:1b:00.0", 0, Exclusions::Why::kHung, 0);
    list.lift_due(kMinute);
    CHECK(!list.next_due_ns());
    list.return_lifted(kMinute);
    CHECK_EQ(list.argument(kKnown, Lifted::kTried), std::string("!0000:1b:00.0@0,0000:43:00.0"));
    CHECK_EQ(list.next_due_ns().value_or(-1), 3 * kMinute);
  });
}

}  // namespace

int main() {
  exclusions();
  return checks::result();
}
