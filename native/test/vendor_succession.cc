// The supervisor's decisions under random sequences of what children and devices do, held against what must always be true.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>

#include "check.h"
#include "collecting_sink.h"
#include "core/vendor/succession.h"
#include "made_up_child.h"

using namespace faultline;
using checks::MadeUpChild;
using checks::test;

namespace {

constexpr std::int64_t kMs = 1'000'000, kSecond = 1000 * kMs;
const std::vector<std::string> kAll{"0000:1b:00.0", "0000:43:00.0", "0000:52:00.0", "0000:61:00.0"};

// The children belong to the succession; the trial sees them through what they share with it.
class Trial {
 public:
  explicit Trial(std::uint64_t seed = 0)
      : random_(seed), report_(sink), options_{.executable = "child", .library = "library", .interval_ns = 500 * kMs,
                                               .burst_interval_ns = 100 * kMs, .call_deadline_ns = 300 * kMs,
                                               .retry_ns = 2 * kSecond},
        succession_(report_, options_,
                    {[this](const ChildOrders& orders, std::string& why) { return start(orders, why); },
                     [](VendorChild&) {}}) {
    machine.devices = kAll;
    for (const std::string& pci : kAll) machine.energy[pci] = 1e6;
  }

  void serve() {
    succession_.serve(machine.now_ns);
    // One runs, one is tried, and the others are on their way out: at most as many as may hang unkillably, and two.
    CHECK(children.size() <= 8);
    const std::size_t before = started;
    for (int again = 0; again < 3; ++again) succession_.serve(machine.now_ns);
    // A look that follows at once finds nothing more to start.
    CHECK(started <= before + 1);
  }
  // Time passes: every child takes its steps, and the supervisor looks.
  void pass(std::int64_t ns) {
    const std::int64_t end = machine.now_ns + ns;
    while (machine.now_ns < end) {
      machine.now_ns += 50 * kMs;
      for (const std::string& pci : machine.devices) machine.energy[pci] += 5;
      for (MadeUpChild* child : children) child->step();
      serve();
    }
  }
  MadeUpChild* newest() { return children.empty() ? nullptr : children.back(); }
  std::vector<MadeUpChild*> living() {
    std::vector<MadeUpChild*> found;
    for (MadeUpChild* child : children) {
      if (child->alive()) found.push_back(child);
    }
    return found;
  }
  std::size_t samples(const std::string& pci) const { return sink->samples("gpu/" + pci + "#power").size(); }
  std::size_t count(const std::string& type) const {
    return static_cast<std::size_t>(std::ranges::count(sink->notices(), type, &Notice::type));
  }
  void random_act();
  // Each sample came under the address that it was read from.
  bool samples_are_whose_they_are() const {
    for (const std::string& pci : kAll) {
      for (const double value : sink->samples("gpu/" + pci + "#power")) {
        if (value != MadeUpChild::power_of(pci)) return false;
      }
    }
    return true;
  }
  Succession& succession() { return succession_; }

  checks::Machine machine;
  std::vector<MadeUpChild*> children;  // not yet taken off by the succession
  std::size_t started = 0;
  std::shared_ptr<CollectingSink> sink = std::make_shared<CollectingSink>();
  bool refuse = false;

 private:
  // Says of itself when the succession lets go of it.
  struct Handle final : VendorChild {
    Handle(Trial& trial, const ChildOrders& orders) : owner(trial), child(trial.machine, orders) {}
    ~Handle() override { std::erase(owner.children, &child); }
    pid_t pid() const override { return child.pid(); }
    int pid_fd() const override { return 0; }
    int wake_fd() const override { return 0; }
    std::int64_t started_ns() const override { return child.started_ns(); }
    std::int64_t now_ns() const override { return child.now_ns(); }
    RingReader& reader() override { return child.reader(); }
    void acknowledge() override {}
    void set_interval(std::int64_t) override {}
    void signal(int number) override { child.signal(number); }
    bool reap(int& status) override { return child.reap(status); }
    Trial& owner;
    MadeUpChild child;
  };

  std::unique_ptr<VendorChild> start(const ChildOrders& orders, std::string& why) {
    if (refuse) {
      why = "no memory";
      return nullptr;
    }
    auto handle = std::make_unique<Handle>(*this, orders);
    children.push_back(&handle->child);
    ++started;
    return handle;
  }
  std::size_t any(std::size_t below) { return random_() % below; }
  void garbage(MadeUpChild& child);

  std::mt19937_64 random_;
  VendorReport report_;
  const VendorLinkOptions options_;
  Succession succession_;
};

void Trial::garbage(MadeUpChild& child) {
  // What the batch says besides counts for nothing: a counter that jumped, a reset, a loss.
  for (std::uint32_t seat = 0; seat < kAll.size(); ++seat) {
    child.sample(seat, Quantity::kEnergy, 1e12);
    child.sample(seat, Quantity::kPower, 1);
    child.notice(NoticeType::kDeviceLost, seat, "nvmlDeviceGetFieldValues", 15);
  }
  switch (any(7)) {
    case 0: child.ring().sample_counters.head += 100'000; break;
    case 1: child.ring().notice_counters.head = ~0ULL; break;
    case 2: child.sample(kMaxDevices, Quantity::kPower, 1); break;
    case 3: child.sample(0, Quantity::kPower, 1e300); break;
    case 4: child.notice(NoticeType::kDevice, 0, "0000:99:00.0"); child.notice(NoticeType::kDevice, 0, "0000:98:00.0"); break;
    case 5: child.notice(static_cast<NoticeType>(77), 0, "x"); break;
    default: child.sample(0, Quantity::kTemperature, 0.0 / 0.0 + 1e9); break;
  }
}

void Trial::random_act() {
  const auto alive = living();
  MadeUpChild* const child = alive.empty() ? nullptr : alive[any(alive.size())];
  const std::string& pci = kAll[any(kAll.size())];
  switch (any(16)) {
    case 0: if (child) child->end(any(2) ? SIGSEGV : SIGKILL); break;
    case 1: if (child) { constexpr int kCodes[]{0, 1, 10, 11, 12, 13, 15, 64, 127}; child->exit(kCodes[any(9)]); } break;
    case 2: if (child) garbage(*child); break;
    case 3: machine.hanging[pci] = true; break;
    case 4: case 5: machine.hanging[pci] = false; break;
    case 6: if (child) child->quiet = any(3) == 0; break;
    case 7: if (child) child->notice(NoticeType::kDeviceLost, static_cast<std::uint32_t>(any(4)), "nvmlDeviceGetFieldValues", 15); break;
    case 8: std::shuffle(machine.devices.begin(), machine.devices.end(), random_); for (auto* each : living()) each->exit(kExitDevicesChanged); break;
    case 9: if (machine.devices.size() > 1) { machine.devices.erase(machine.devices.begin()); for (auto* each : living()) each->exit(kExitDevicesChanged); } break;
    case 10: machine.devices = kAll; for (auto* each : living()) each->exit(kExitDevicesChanged); break;
    case 11: succession_.release(any(3) * kSecond + 1, {}, machine.now_ns); break;
    case 12: succession_.burst(any(3) * kSecond, machine.now_ns); break;
    case 13: machine.unkillable = any(4) == 0; break;
    case 14: refuse = any(4) == 0; break;
    default: machine.now_ns += static_cast<std::int64_t>(any(200)) * kSecond / 10; succession_.excuse(machine.now_ns); break;
  }
}

// How many sequences; more where FAULTLINE_SEQUENCES says so.
int sequences() {
  const char* wanted = std::getenv("FAULTLINE_SEQUENCES");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int kDefault = 400;
#else
  constexpr int kDefault = 1500;
#endif
  return wanted != nullptr ? std::atoi(wanted) : kDefault;
}

void random_sequences() {
  test("whatever children do, the daemon lives, blames the right device, does not spin, and ends up sampling all", [] {
    const int many = sequences();
    for (int seed = 1; seed <= many; ++seed) {
      Trial trial(static_cast<std::uint64_t>(seed));
      const std::int64_t began = trial.machine.now_ns;
      for (int act = 0; act < 40; ++act) {
        trial.random_act();
        for (std::uint64_t steps = seed % 7 + 1; steps > 0; --steps) trial.pass(50 * kMs);
      }
      const double seconds = static_cast<double>(trial.machine.now_ns - began) / 1e9;
      // Each act may cost a child or two; time alone costs few.
      CHECK(static_cast<double>(trial.started) < 100 + 3 * seconds);
      CHECK(trial.samples_are_whose_they_are());
      // All is well again: one child samples every device, and only devices that are there.
      trial.machine.unkillable = trial.refuse = false;
      trial.machine.hanging.clear();
      trial.machine.devices = kAll;
      for (MadeUpChild* child : trial.children) child->quiet = false;
      for (auto* each : trial.living()) each->exit(kExitDevicesChanged);
      for (int hours = 0; hours < 3; ++hours) {
        trial.machine.now_ns += 3600 * kSecond;
        trial.succession().excuse(trial.machine.now_ns);
        trial.pass(20 * kSecond);
      }
      std::vector<std::size_t> before;
      for (const std::string& pci : kAll) before.push_back(trial.samples(pci));
      const std::size_t started = trial.started;
      trial.pass(3 * kSecond);
      for (std::size_t i = 0; i < kAll.size(); ++i) CHECK(trial.samples(kAll[i]) > before[i]);
      CHECK_EQ(trial.started, started);
      CHECK_EQ(trial.living().size(), 1U);
      CHECK(trial.samples_are_whose_they_are());
      if (checks::failures > 0) {
        std::printf("  sequence %d\n", seed);
        return;
      }
      trial.succession().stop(trial.machine.now_ns);
      trial.pass(3 * kSecond);
      CHECK(trial.succession().over());
    }
  });
}

void one_by_one() {
  test("a candidate takes over where the current child died meanwhile", [] {
    Trial trial;
    trial.pass(2 * kSecond);
    trial.machine.hanging[kAll[1]] = true;
    trial.pass(kSecond);
    CHECK_EQ(trial.count("call_stalled"), 1U);
    trial.machine.hanging[kAll[1]] = false;
    while (trial.living().size() < 2) trial.machine.now_ns += 10 * kMs, trial.serve();
    MadeUpChild* const candidate = trial.newest();
    trial.living().front()->end(SIGSEGV);
    trial.serve();
    candidate->step();
    candidate->step();
    trial.serve();
    trial.pass(2 * kSecond);
    CHECK(trial.living().size() == 1 && trial.newest() == candidate);
    CHECK(trial.samples(kAll[1]) > 10);
  });

  test("while a candidate tries a device that hung, a new current child leaves it alone", [] {
    Trial trial;
    trial.pass(2 * kSecond);
    trial.machine.hanging[kAll[1]] = true;
    trial.pass(kSecond);
    while (trial.living().size() < 2) trial.machine.now_ns += 10 * kMs, trial.serve();
    trial.living().front()->end(SIGKILL);
    trial.serve();
    trial.machine.now_ns += kSecond;
    trial.serve();
    CHECK_EQ(trial.newest()->orders().alone(), 1U);
  });

  test("garbage throws away all that came with it, says what was wrong, and makes no reset of any GPU", [] {
    Trial trial;
    trial.pass(3 * kSecond);
    MadeUpChild& child = *trial.newest();
    const std::size_t notices = trial.sink->notices().size();
    for (std::uint32_t seat = 0; seat < 4; ++seat) {
      child.notice(NoticeType::kDeviceLost, seat, "nvmlDeviceGetFieldValues", 15);
      child.notice(NoticeType::kXid, seat, "", 79);
      child.sample(seat, Quantity::kEnergy, 9e14);
      child.sample(seat, Quantity::kPower, 1);
    }
    child.sample(0, Quantity::kPower, 1e30);
    trial.serve();
    CHECK_EQ(trial.sink->notices().size(), notices + 1);
    const Notice last = trial.sink->notices().back();
    CHECK_EQ(last.type + " " + last.name, std::string("child_exit corrupt"));
    CHECK(last.text.starts_with("it wrote power of 1000000"));
    trial.pass(10 * kSecond);
    CHECK_EQ(trial.count("gpu_reset") + trial.count("xid") + trial.count("device_lost"), 0U);
    CHECK(trial.samples_are_whose_they_are());
    for (const double joules : trial.sink->samples("gpu/" + kAll[0] + "#energy")) CHECK(joules < 2e6);
  });

  test("a reset that a child gives away right before its garbage is not believed, nor are its successors' for a minute", [] {
    Trial trial;
    trial.pass(3 * kSecond);
    const auto reset_all = [&] {
      for (auto& [pci, joules] : trial.machine.energy) joules = 1;
      trial.newest()->step();
      trial.serve();
      for (auto& [pci, joules] : trial.machine.energy) joules = 10;
      trial.newest()->step();
      trial.serve();
      for (auto& [pci, joules] : trial.machine.energy) joules = 1e6;
    };
    reset_all();
    trial.newest()->sample(0, Quantity::kPower, -1);
    trial.serve();
    trial.pass(5 * kSecond);
    reset_all();
    trial.pass(20 * kSecond);
    CHECK_EQ(trial.count("gpu_reset"), 0U);
    trial.pass(60 * kSecond);
    reset_all();
    trial.pass(kSecond);
    CHECK_EQ(trial.count("gpu_reset"), 4U);
  });

  test("garbage at every start does not make a busy loop", [] {
    Trial trial;
    for (int i = 0; i < 12'000; ++i) {  // ten minutes
      trial.machine.now_ns += 50 * kMs;
      for (MadeUpChild* child : trial.living()) child->sample(0, Quantity::kPower, 1e30);
      trial.serve();
    }
    CHECK(trial.started < 14);
    CHECK(trial.started > 6);
  });

  test("floods end the child that sends them: of notices, of samples, of its bell", [] {
    for (const int kind : {0, 1, 2}) {
      Trial trial;
      trial.pass(kSecond);
      for (int i = 0; i < 20'000 && trial.count("child_exit") == 0; ++i) {
        trial.machine.now_ns += kMs / 100;
        for (int j = 0; kind == 0 && j < 200; ++j) trial.newest()->notice(NoticeType::kXid, 0, "", j);
        for (int j = 0; kind == 1 && j < 4000; ++j) trial.newest()->sample(0, Quantity::kPower, 27);
        trial.serve();
      }
      CHECK_EQ(trial.count("child_exit"), 1U);
      CHECK(trial.count("xid") <= 17'000);
    }
  });

  test("a child that says it must begin again, over and over, is slowed down", [] {
    for (const int code : {kExitDevicesChanged, kExitLibraryDead}) {
      Trial trial;
      for (int i = 0; i < 12'000; ++i) {
        trial.pass(50 * kMs);
        for (MadeUpChild* child : trial.living()) {
          if (child->ring().ticks > 0) child->exit(code);
        }
      }
      CHECK(trial.started < 40);
    }
  });

  test("a child that announces a device as another, or twice, or one under two numbers, broke", [] {
    for (const auto& [seat, pci] : std::vector<std::pair<std::uint32_t, const char*>>{
             {0, "0000:99:00.0"}, {0, "0000:1b:00.0"}, {9, "0000:1b:00.0"}}) {
      Trial trial;
      trial.pass(kSecond);
      trial.newest()->notice(NoticeType::kDevice, seat, pci);
      trial.serve();
      CHECK(trial.sink->noticed("child_exit", "corrupt"));
    }
  });

  test("a device that hung and was unbound blames none that took its index", [] {
    Trial trial;
    trial.pass(2 * kSecond);
    trial.machine.hanging[kAll[0]] = true;
    trial.pass(kSecond);
    trial.machine.devices.erase(trial.machine.devices.begin());
    for (auto* child : trial.living()) child->exit(kExitDevicesChanged);
    trial.pass(kSecond);
    const std::size_t before = trial.samples(kAll[1]);
    trial.pass(kSecond);
    CHECK(trial.samples(kAll[1]) > before + 10);
    CHECK_EQ(trial.count("gpu_reset"), 0U);
  });
}

}  // namespace

int main() {
  one_by_one();
  random_sequences();
  return checks::result();
}
