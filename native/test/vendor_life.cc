// The life of the real child with the stand-in library: events, reloads, losses, resets, devices that come and go.
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "vendor_rack.h"
#include "vendor/nvml/event_types.h"

using namespace faultline;
using checks::test;
using Lines = VendorRack::Lines;

namespace {

std::string hex(unsigned long long value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", value);
  return text;
}

// Until this process has had two children for a while: one runs, one is tried, and none is on its way out.
bool two_children() {
  constexpr int kAWhile = 50;
  int in_a_row = 0;
  for (int i = 0; i < 30'000; ++i) {
    int found = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream file(task.path() / "children");
      for (pid_t pid = 0; file >> pid;) ++found;
    }
    in_a_row = found == 2 ? in_a_row + 1 : 0;
    if (in_a_row == kAWhile) return true;
    usleep(1000);
  }
  return false;
}

void driver_events() {
  test("each event type arrives under its name, from its device, with its data", [] {
    VendorRack rack(Lines{{"devices", "2"}, {"gpu.1.supported_events", "0xffff"}});
    CHECK(rack.watched());
    int serial = 0;
    for (const nvml::EventType& type : nvml::kEventTypes) {
      if (type.word == EventWord::kXid) continue;
      const std::string word(event_word(type.word));
      rack.set({{"gpu.1.event", std::to_string(++serial) + " " + hex(type.bit) + " 7"}});
      CHECK(rack.reported("gpu_event", word));
      const Notice notice = rack.last("gpu_event", word);
      CHECK_EQ(notice.component, "gpu/" + VendorRack::pci(1));
      CHECK_EQ(notice.value, 7.0);
    }
  });

  test("a device that knows XIDs only still reports them, and so does one that refuses its own mask", [] {
    VendorRack rack(Lines{{"devices", "1"}, {"gpu.0.supported_events", "0x8"}});
    CHECK(rack.watched());
    rack.set({{"gpu.0.xid", "1 79"}});
    CHECK(rack.reported("xid", ""));
    CHECK_EQ(rack.last("xid", "").value, 79.0);
  });

  test("a storm of thousands is reported a few times and counted, and an XID comes through it", [] {
    VendorRack rack(Lines{{"devices", "2"}});
    CHECK(rack.watched());
    rack.set({{"gpu.0.event", "1 0x1 7 300"}, {"gpu.1.xid", "1 48"}});
    CHECK(rack.reported("xid", ""));
    // How many are reported one by one depends on how long the storm takes to come; none is lost, and few are reported.
    CHECK(rack.sink->wait([&] {
      long counted = 0;
      for (const Notice& notice : rack.sink->notices()) {
        if (notice.name != "ecc_single_bit") continue;
        // The number of those held back comes with an event that has data of its own, or by itself when the storm is over.
        counted += notice.value == 7 ? 1 : 0;
        if (notice.text.ends_with(" more since the last one reported")) counted += std::atol(notice.text.c_str());
      }
      return counted == 300;
    }));
    CHECK(rack.count("gpu_event", "ecc_single_bit") < 20U);
  });

  test("an error that stays while waiting is reported once, as is its end, and samples continue", [] {
    VendorRack rack(Lines{{"devices", "1"}, {"call.nvmlEventSetWait_v2.error", "999"}});
    CHECK(rack.sink->wait([&] { return !rack.sink->notices().empty() && rack.sink->notices().back().value == 999; }));
    CHECK_EQ(rack.last("part_state", "events").value, 999.0);
    CHECK(rack.fresh(0));
    rack.set({{"call.nvmlEventSetWait_v2.error", ""}});
    CHECK(rack.sink->wait([&] {
      return !rack.sink->notices().empty() && rack.sink->notices().back().text == "they come again";
    }));
    CHECK_EQ(rack.count("part_state", "events"), 3U);
  });

  test("a library without system events, or without events at all, samples all the same", [] {
    Lines lines{{"devices", "1"}};
    for (const char* symbol : {"nvmlSystemEventSetCreate", "nvmlEventSetCreate", "nvmlDeviceGetSupportedEventTypes"}) {
      lines["call." + std::string(symbol) + ".error"] = "13";
    }
    VendorRack rack(lines);
    CHECK(rack.fresh(0));
    CHECK_EQ(rack.count("child_exit"), 0U);
  });

  test("when a driver takes a device, a fresh child lists all of them again", [] {
    VendorRack rack(Lines{{"devices", "2"}, {"driver", "580.95.05"}});
    CHECK(rack.fresh(1));
    const pid_t before = rack.pid();
    // The registration is not reported: another event until one is through.
    rack.set({{"devices", "3"}});
    for (int serial = 1; serial < 3000 && rack.count("gpu_event", "driver_bind") == 0; ++serial) {
      rack.set({{"system.event", std::to_string(serial) + " 2 " + hex(0x5200)}});
      usleep(10'000);
    }
    CHECK(rack.reported("gpu_event", "driver_bind"));
    CHECK(rack.fresh(2));
    CHECK(rack.pid() != before);
    for (int serial = 3000; serial < 6000 && rack.count("gpu_event", "driver_unbind") == 0; ++serial) {
      rack.set({{"system.event", std::to_string(serial) + " 1 " + hex(0x4300)}});
      usleep(10'000);
    }
    CHECK(rack.reported("gpu_event", "driver_unbind"));
    CHECK_EQ(rack.last("gpu_event", "driver_unbind").component, "gpu/" + VendorRack::pci(1));
    CHECK_EQ(rack.count("child_exit"), 0U);
  });
}

void whole_driver() {
  for (const char* code : {"9", "1"}) {
    test("a driver that is reloaded ends the child, and a fresh one takes it up", [code] {
      VendorRack rack(Lines{{"devices", "2"}, {"gpu.0.energy_mj", "9000000"}});
      CHECK(rack.fresh(0, "energy"));
      const pid_t before = rack.pid();
      rack.set({{"call.nvmlDeviceGetFieldValues.error", code}, {"gpu.0.energy_mj", "10"}});
      CHECK(rack.reported("state", "failed"));
      rack.set({{"call.nvmlDeviceGetFieldValues.error", ""}});
      CHECK(rack.fresh(0, "energy"));
      CHECK(rack.fresh(0, "energy"));
      CHECK(rack.pid() != before);
      CHECK_EQ(rack.count("child_exit"), 0U);
      CHECK_EQ(rack.count("gpu_reset"), 0U);
    });
  }

  test("a mismatch of library and module is a state of its own, at the start and in flight, and ends", [] {
    VendorRack rack(Lines{{"devices", "1"}, {"call.nvmlInit_v2.error", "18"}});
    CHECK(rack.reported("state", "mismatch"));
    CHECK_EQ(rack.last("state", "mismatch").value, 18.0);
    rack.set({{"call.nvmlInit_v2.error", ""}});
    CHECK(rack.fresh(0));
    const pid_t before = rack.pid();
    rack.set({{"gpu.0.error", "18"}});
    CHECK(rack.sink->wait([&] { return rack.sink->notices().back().name == "mismatch"; }));
    rack.set({{"gpu.0.error", ""}});
    CHECK(rack.fresh(0));
    CHECK(rack.pid() != before);
  });

  test("without a device the state is absent, and devices that appear later are taken up", [] {
    VendorRack rack(Lines{{"devices", "0"}});
    CHECK(rack.reported("state", "absent"));
    rack.set({{"devices", "16"}});
    CHECK(rack.fresh(15));
    CHECK_EQ(rack.count("device"), 16U);
    CHECK_EQ(rack.last("state", "running").value, 16.0);
  });

  test("rights that are lost on all devices at once blame no device", [] {
    VendorRack rack(Lines{{"devices", "2"}});
    CHECK(rack.fresh(1));
    rack.set({{"gpu.0.error", "999"}, {"gpu.1.error", "999"}});
    CHECK(rack.reported("state", "access_lost"));
    rack.set({{"gpu.0.error", ""}, {"gpu.1.error", ""}});
    CHECK(rack.fresh(0));
    CHECK_EQ(rack.count("device_lost"), 0U);
  });
}

void libraries() {
  test("a library of another architecture is named as such, and its replacement is taken up", [] {
    VendorRack rack(Lines{{"devices", "1"}, {"call.nvmlInit_v2.error", "9"}});
    CHECK(rack.reported("state", "absent"));
    std::fstream file(rack.library(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(18);  // e_machine
    file.put('\x15').put('\0');
    file.close();
    CHECK(rack.reported("state", "failed"));
    CHECK(rack.last("state", "failed").text.find("built for another architecture: ppc64le") != std::string::npos);
    rack.set({{"call.nvmlInit_v2.error", ""}});
    rack.install();
    CHECK(rack.fresh(0));
    CHECK_EQ(rack.count("child_exit"), 0U);
  });

  test("a library that is cut under a running child costs that child, is named, and its repair is taken up", [] {
    VendorRack rack(Lines{{"devices", "1"}});
    CHECK(rack.fresh(0));
    std::filesystem::resize_file(rack.library(), 9000);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    CHECK(rack.reported("child_exit", "exited"));  // the sanitizer takes the signal first
#else
    CHECK(rack.reported("child_exit", "SIGBUS"));
#endif
    CHECK(rack.reported("state", "failed"));
    CHECK(rack.last("state", "failed").text.find("truncated: 9000 of at least") != std::string::npos);
    rack.install();
    CHECK(rack.fresh(0));
  });
}

void losses() {
  for (const char* code : {"15", "16"}) {
    test("a lost device is let go of by a successor, the others continue, and it comes back as reset", [code] {
      VendorRack rack(Lines{{"devices", "3"}}, [](VendorLinkOptions& options) { options.retry_ns = 1'500'000'000; });
      CHECK(rack.fresh(2));
      const pid_t before = rack.pid();
      rack.set({{"gpu.1.error", code}});
      CHECK(rack.reported("device_lost", "nvmlDeviceGetFieldValues"));
      CHECK_EQ(rack.last("device_lost", "nvmlDeviceGetFieldValues").value, std::stod(code));
      CHECK(rack.sink->wait([&] { return rack.pid() != 0 && rack.pid() != before; }));
      CHECK(rack.fresh(0));
      CHECK(rack.fresh(2));
      CHECK_EQ(rack.count("gpu_reset"), 0U);
      rack.set({{"gpu.1.error", ""}});
      CHECK(rack.reported("gpu_reset", "after_loss"));
      CHECK_EQ(rack.last("gpu_reset", "after_loss").component, "gpu/" + VendorRack::pci(1));
      CHECK(rack.fresh(1));
      CHECK_EQ(rack.count("child_exit"), 0U);
      CHECK_EQ(rack.count("device_lost"), 1U);
    });
  }

  test("a candidate that lives while the current child is killed takes over, and the daemon lives", [] {
    VendorRack rack(Lines{{"devices", "2"}}, [](VendorLinkOptions& options) {
      options.call_deadline_ns = 300'000'000;
      options.retry_ns = 3'000'000'000;
    });
    CHECK(rack.fresh(1));
    rack.set({{"gpu.1.hang", "1"}});
    CHECK(rack.sink->wait([&] { return rack.count("call_stalled") > 0; }));
    // So long that the candidate is still starting when the current one is killed, on a busy machine, too.
    rack.set({{"gpu.1.hang", ""}, {"call.nvmlInit_v2.delay_ms", "1500"}});
    CHECK(rack.fresh(0));
    const pid_t current = rack.pid();
    CHECK(two_children());
    kill(current, SIGKILL);  // a sanitizer in the child would make another end of SIGSEGV
    CHECK(rack.reported("child_exit", "SIGKILL"));
    CHECK(rack.fresh(0));
    CHECK(rack.fresh(1));
  });

  test("an energy counter that starts again is a reset of that device", [] {
    VendorRack rack(Lines{{"devices", "2"}, {"gpu.0.energy_mj", "9000000"}, {"gpu.1.energy_mj", "9000000"}});
    CHECK(rack.fresh(1, "energy"));
    rack.set({{"gpu.1.energy_mj", "20"}});
    CHECK(rack.reported("gpu_reset", "counter_restarted"));
    CHECK_EQ(rack.last("gpu_reset", "counter_restarted").component, "gpu/" + VendorRack::pci(1));
    CHECK_EQ(rack.count("gpu_reset"), 1U);
  });

  test("a device that was reset while released is reported, a driver that was reloaded meanwhile is not", [] {
    for (const bool all : {false, true}) {
      VendorRack rack(Lines{{"devices", "2"}, {"gpu.0.energy_mj", "9000000"}, {"gpu.1.energy_mj", "9000000"}});
      CHECK(rack.fresh(1, "energy"));
      rack.link().release(100'000'000);
      CHECK(rack.reported("state", "released"));
      rack.set({{"gpu.0.energy_mj", "20"}, {"gpu.1.energy_mj", all ? "20" : "9000001"}});
      CHECK(rack.sink->wait([&] { return rack.sink->notices().back().name == "running" || rack.sink->noticed("gpu_reset", "while_released"); }));
      CHECK(rack.fresh(0, "energy"));
      CHECK(rack.fresh(1, "energy"));
      CHECK_EQ(rack.count("gpu_reset", "while_released"), all ? 0U : 1U);
    }
  });
}

void splits() {
  test("MIG on, instances, an error of one, off again: each is reported of the instance, and nothing of the whole GPU", [] {
    VendorRack rack(Lines{{"devices", "1"}}, [](VendorLinkOptions& options) { options.interval_ns = 20'000'000; });
    CHECK(rack.watched());
    CHECK(rack.fresh(0, "utilization"));
    rack.set({{"gpu.0.mig", "1"}, {"gpu.0.instance", "5 0 MIG-five"}, {"gpu.0.event", "1 0x100"}});
    CHECK(rack.reported("gpu_event", "mig_config_change"));
    CHECK(rack.reported("gpu_instance", "there"));
    const std::string instance = "gpu_instance/" + VendorRack::pci(0) + "/5";
    CHECK_EQ(rack.last("gpu_instance", "there").component, instance);
    CHECK(rack.sink->wait([&] { return !rack.sink->samples(instance + "#ecc_sram_uncorrected").empty(); }));
    rack.set({{"gpu.0.mig", ""}, {"gpu.0.instance", ""}, {"gpu.0.event", "2 0x100"}});
    CHECK(rack.reported("gpu_instance", "gone"));
    CHECK(rack.fresh(0, "utilization"));
    for (const char* type : {"device_lost", "gpu_reset", "child_exit", "call_stalled"}) CHECK_EQ(rack.count(type), 0U);
  });
}

void jobs() {
  test("a job that begins on an idle GPU is named without waiting for the next pass", [] {
    // The first pass lists no process; the next comes ten seconds later.
    VendorRack rack(Lines{{"devices", "1"}, {"gpu.0.utilization", "0"}});
    CHECK(rack.fresh(0));
    CHECK_EQ(rack.count("processes"), 0U);
    rack.set({{"gpu.0.utilization", "80"}, {"gpu.0.processes", "4711"}});
    CHECK(rack.reported("processes", ""));
    const NoticeDetails pids = {{"pids", std::vector<std::uint32_t>{4711}}};
    CHECK(rack.last("processes", "").details == pids);
    CHECK_EQ(rack.last("processes", "").component, "gpu/" + VendorRack::pci(0));
  });
}

void restraint() {
  test("a driver that times out on one device is asked seldom, then more seldom, and the others continue", [] {
    VendorRack rack(Lines{{"devices", "2"}});
    CHECK(rack.fresh(1));
    rack.set({{"gpu.1.error", "10"}});
    const auto paused = [&](double seconds) {
      return rack.sink->wait([&] {
        for (const Notice& notice : rack.sink->notices()) {
          if (notice.name == "reads_paused" && notice.value == seconds) return true;
        }
        return false;
      });
    };
    for (const double seconds : {1.0, 2.0, 4.0}) CHECK(paused(seconds));
    CHECK(rack.fresh(0));
    rack.set({{"gpu.1.error", ""}});
    CHECK(rack.fresh(1));
    for (const char* type : {"device_lost", "gpu_reset", "child_exit", "call_stalled"}) CHECK_EQ(rack.count(type), 0U);
  });

  test("without polling nothing is read, a burst changes nothing, and events come", [] {
    VendorRack rack(Lines{{"devices", "2"}}, [](VendorLinkOptions& options) { options.poll = false; });
    CHECK(rack.reported("state", "running"));
    rack.link().burst(60'000'000'000);
    CHECK(rack.watched());
    rack.set({{"gpu.1.xid", "1 79"}});
    CHECK(rack.reported("xid", ""));
    CHECK_EQ(rack.last("xid", "").component, "gpu/" + VendorRack::pci(1));
    CHECK_EQ(rack.samples(0) + rack.samples(1), 0U);
    CHECK_EQ(rack.count("part_state", "calibration"), 0U);
  });

  test("the sensors' own pace is found at the start", [] {
    VendorRack rack(Lines{{"devices", "2"}, {"gpu.0.refresh_ms", "50"}, {"gpu.1.refresh_ms", "20"}});
    CHECK(rack.reported("part_state", "calibration"));
    const Notice notice = rack.last("part_state", "calibration");
    // Late wake-ups of this process make it longer, nothing makes it much shorter.
    CHECK(notice.value > 35);
    CHECK(rack.fresh(0));
  });

  test("a system processor that times out is given a rest", [] {
    VendorRack rack(Lines{{"devices", "2"}});
    CHECK(rack.watched());
    rack.set({{"gpu.1.xid", "1 119"}});
    CHECK(rack.reported("gpu_event", "reads_paused"));
    CHECK_EQ(rack.last("gpu_event", "reads_paused").component, "gpu/" + VendorRack::pci(1));
    CHECK(rack.fresh(0));
  });
}

}  // namespace

// All of them, or the one that is named: most of their time is waiting, so ctest runs several at a time.
int main(int argc, char** argv) {
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  for (const auto& [name, part] : std::initializer_list<std::pair<std::string_view, void (*)()>>{
           {"driver_events", driver_events},
           {"whole_driver", whole_driver},
           {"libraries", libraries},
           {"losses", losses},
           {"splits", splits},
           {"jobs", jobs},
           {"restraint", restraint}}) {
    if (wanted.empty() || wanted == name) part();
  }
  return checks::result();
}
