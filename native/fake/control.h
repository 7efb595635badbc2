// The state that the stand-in library shows, read from its control file whenever that changes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::fake {

struct Gpu {
  std::string pci, uuid, name, serial;
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
  std::uint64_t xid_serial = 0;
  unsigned long long xid = 0;
};

struct CallFault {
  int error = 0;
  unsigned delay_ms = 0;
  bool hang = false;
  bool crash = false;
};

struct State {
  std::string driver = "570.86.10";
  std::vector<Gpu> gpus;
  std::map<std::string, CallFault, std::less<>> calls;
};

inline constexpr std::size_t kMostGpus = 64;

// Reads the control language (README.md). Lines that it does not know are passed over.
State parse_control(std::string_view text);

}  // namespace faultline::fake
