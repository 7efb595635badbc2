// The state that the stand-in library shows, read from its control file whenever that changes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fake/generations.h"

namespace faultline::fake {

// A field's answer as scripted, in place of what the stand-in would say.
struct FieldScript {
  double value = 0;
  std::optional<unsigned long long> bits;  // raw, for what a double cannot hold
  unsigned type = 3;                       // nvml::ValueType
  int error = 0;
};

struct Instance {
  unsigned gpu_instance = 0, compute_instance = 0;
  std::string uuid;
};

// What a GPU instance answers otherwise than its GPU.
struct InstanceScript {
  unsigned long long uncorrected = 0;
  std::map<unsigned, double> gpm;  // by metric
};

// An event that comes once each time `serial` changes, `count` times over.
struct EventScript {
  std::uint64_t serial = 0;
  unsigned long long type = 0;
  unsigned long long data = 0;
  unsigned long long count = 1;
};

struct Gpu {
  std::string pci, uuid, name, serial;
  std::string probe;  // what asking for its name tries
  unsigned minor = 0;
  unsigned power_mw = 0;
  std::optional<unsigned long long> energy_mj;  // set: given by the script; else integrated
  unsigned temperature = 0;
  unsigned sm_clock_mhz = 0;
  unsigned memory_clock_mhz = 0;
  unsigned power_limit_mw = 0;
  unsigned long long reasons = 0;
  unsigned slowdown_c = 0;
  unsigned utilization = 0;  // percent
  int error = 0;
  bool hang = false;
  bool crash = false;
  Architecture architecture = Architecture::kHopper;
  std::optional<unsigned> links;
  unsigned links_down = 0;  // bit per link
  bool mig = false;
  std::vector<Instance> instances;
  std::map<unsigned, InstanceScript> instance_scripts;  // by GPU instance
  std::vector<unsigned> processes;
  std::map<unsigned, std::vector<unsigned>> instance_processes;  // by GPU instance
  std::map<std::uint64_t, FieldScript> fields;                   // by id << 32 | scope
  std::map<std::string, unsigned long long, std::less<>> values;  // of calls that give a number, by symbol and arguments
  std::map<unsigned, double> gpm;                                 // by metric
  std::uint64_t xid_serial = 0;
  unsigned long long xid = 0;
  EventScript event;
  unsigned long long supported_events = 0x8;
  unsigned refresh_ms = 0;  // how often counters move; 0 at each look
};

struct CallFault {
  int error = 0;
  unsigned delay_ms = 0;
  bool hang = false;
  bool crash = false;
};

struct State {
  std::string driver = "570.86.10";
  int branch = 570;  // of the driver
  std::vector<Gpu> gpus;
  EventScript system_event;  // data: the driver's id of the device
  std::map<std::string, CallFault, std::less<>> calls;
};

inline constexpr std::size_t kMostGpus = 64;

// Reads the control language (README.md). Lines that it does not know are passed over.
State parse_control(std::string_view text);

}  // namespace faultline::fake
