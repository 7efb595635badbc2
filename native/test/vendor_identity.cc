// A device is its PCI address: with the real child, devices vanish, come back and swap their indices, and nothing that is
// known of one is reported of another.
#include <algorithm>

#include "vendor_rack.h"

using namespace faultline;
using checks::test;
using Lines = VendorRack::Lines;

namespace {

constexpr const char* kFirst = "0000:1b:00.0";
constexpr const char* kSecond = "0000:43:00.0";
constexpr const char* kThird = "0000:52:00.0";

// The driver lists these addresses, in this order; `hangs` does not answer.
Lines machine(const std::vector<std::string>& addresses, const std::string& hangs = "") {
  Lines lines{{"devices", std::to_string(addresses.size())}, {"driver", "580.95.05"}};
  for (std::size_t index = 0; index < addresses.size(); ++index) {
    const std::string gpu = "gpu." + std::to_string(index) + ".";
    const int bus = std::stoi(addresses[index].substr(5, 2), nullptr, 16);
    lines[gpu + "pci"] = addresses[index];
    lines[gpu + "uuid"] = "GPU-" + std::to_string(bus);
    // Numbers that tell whose they are.
    lines[gpu + "power_mw"] = std::to_string(bus * 1000);
    lines[gpu + "energy_mj"] = std::to_string(bus * 1'000'000'000LL);
    lines[gpu + "hang"] = addresses[index] == hangs ? "1" : "0";
  }
  return lines;
}

class Identities : public VendorRack {
 public:
  explicit Identities(const std::vector<std::string>& addresses, std::int64_t retry_ns = 60'000'000'000)
      : VendorRack(machine(addresses), [=](VendorLinkOptions& options) {
          options.call_deadline_ns = 300'000'000;
          options.retry_ns = retry_ns;
        }) {
    CHECK(watched());
  }
  void becomes(const std::vector<std::string>& addresses, const std::string& hangs = "") {
    Lines lines = machine(addresses, hangs);
    // What is there no more leaves the file.
    for (std::size_t index = addresses.size(); index < 4; ++index) {
      for (const char* key : {"pci", "uuid", "power_mw", "energy_mj", "hang"}) lines["gpu." + std::to_string(index) + "." + key] = "";
    }
    set(lines);
    // The driver tells of it, which a child hears unless it begins right now: another until one is new.
    const std::size_t before = count("gpu_event", "driver_bind");
    while (count("gpu_event", "driver_bind") == before && serial_ < 3000) {
      set({{"system.event", std::to_string(++serial_) + " 2 0x5200"}});
      usleep(20'000);
    }
  }
  bool fresh_at(const std::string& pci) {
    const std::string key = "gpu/" + pci + "#power";
    const std::size_t before = sink->samples(key).size();
    return sink->wait([&] { return sink->samples(key).size() >= before + 3; });
  }
  bool all_theirs() const {
    for (const std::string pci : {kFirst, kSecond, kThird}) {
      const double watts = std::stoi(pci.substr(5, 2), nullptr, 16);
      for (const double value : sink->samples("gpu/" + pci + "#power")) {
        if (value != watts) return false;
      }
    }
    return true;
  }
  bool gone(const std::string& pci) {
    return sink->wait([&] {
      return std::ranges::any_of(sink->notices(), [&](const Notice& notice) {
        return notice.type == "device_gone" && notice.component == "gpu/" + pci;
      });
    });
  }

 private:
  int serial_ = 0;
};

}  // namespace

int main() {
  test("a GPU that is unbound is gone, and none of those that move up was reset or changed its numbers", [] {
    Identities rack({kFirst, kSecond, kThird});
    CHECK(rack.fresh_at(kThird));
    rack.becomes({kSecond, kThird});
    CHECK(rack.gone(kFirst));
    CHECK(rack.fresh_at(kSecond));
    CHECK(rack.fresh_at(kThird));
    rack.becomes({kFirst, kSecond, kThird});
    CHECK(rack.fresh_at(kFirst));
    CHECK(rack.fresh_at(kThird));
    CHECK_EQ(rack.count("gpu_reset"), 0U);
    CHECK_EQ(rack.count("device_lost"), 0U);
    CHECK_EQ(rack.count("device_gone"), 1U);
  });

  test("GPUs that swap their indices keep their numbers, and none was reset", [] {
    Identities rack({kFirst, kSecond, kThird});
    CHECK(rack.fresh_at(kThird));
    rack.link().release(1'000'000'000);
    CHECK(rack.reported("state", "released"));
    rack.set(machine({kThird, kFirst, kSecond}));
    for (const char* pci : {kFirst, kSecond, kThird}) CHECK(rack.fresh_at(pci));
    CHECK(rack.all_theirs());
    for (const char* type : {"gpu_reset", "device_lost", "device_gone", "child_exit"}) CHECK_EQ(rack.count(type), 0U);
  });

  test("a GPU that hangs, is excluded and unbound leaves the one that takes its index sampled at once", [] {
    Identities rack({kFirst, kSecond, kThird});
    CHECK(rack.fresh_at(kThird));
    rack.set({{"gpu.0.hang", "1"}});
    CHECK(rack.sink->wait([&] { return rack.count("call_stalled") == 1; }));
    CHECK(rack.fresh_at(kSecond));
    rack.becomes({kSecond, kThird});
    CHECK(rack.fresh_at(kSecond));
    CHECK(rack.fresh_at(kThird));
    CHECK_EQ(rack.count("call_stalled"), 1U);
    CHECK_EQ(rack.count("gpu_reset"), 0U);
  });

  test("a GPU that hangs and gets another index is left alone there, and the one at its old index is sampled", [] {
    Identities rack({kFirst, kSecond, kThird});
    CHECK(rack.fresh_at(kThird));
    rack.set({{"gpu.0.hang", "1"}});
    CHECK(rack.sink->wait([&] { return rack.count("call_stalled") == 1; }));
    CHECK(rack.fresh_at(kThird));
    rack.becomes({kThird, kSecond, kFirst}, kFirst);
    CHECK(rack.fresh_at(kThird));
    CHECK(rack.fresh_at(kSecond));
    CHECK_EQ(rack.count("call_stalled"), 1U);
  });

  test("where the library opens nothing by address, the same holds for a GPU that is unbound", [] {
    Identities rack({kFirst, kSecond, kThird});
    rack.set({{"call.nvmlDeviceGetHandleByPciBusId_v2.error", "13"}});
    CHECK(rack.fresh_at(kThird));
    rack.set({{"gpu.0.hang", "1"}});
    CHECK(rack.sink->wait([&] { return rack.count("call_stalled") == 1; }));
    CHECK(rack.fresh_at(kSecond));
    rack.becomes({kSecond, kThird});
    CHECK(rack.fresh_at(kSecond));
    CHECK(rack.fresh_at(kThird));
    CHECK_EQ(rack.count("call_stalled"), 1U);
  });

  test("a GPU that hung under another index and hangs again is one device, whose pause grows", [] {
    Identities rack({kFirst, kSecond}, 400'000'000);
    CHECK(rack.fresh_at(kSecond));
    rack.set({{"gpu.1.hang", "1"}});
    CHECK(rack.sink->wait([&] { return rack.count("call_stalled") >= 2; }));
    for (const Notice& notice : rack.sink->notices()) {
      // On a busy machine a call of no device may pass the deadline as well.
      if (notice.type == "call_stalled" && !notice.component.empty()) CHECK_EQ(notice.component, std::string("gpu/") + kSecond);
    }
    CHECK(rack.fresh_at(kFirst));
    rack.set({{"gpu.1.hang", "0"}});
    CHECK(rack.fresh_at(kSecond));
    CHECK(rack.all_theirs());
  });
  return checks::result();
}
