// What the files of procfs say of a host as a whole: processors, memory, pressure, load, disks, network interfaces
// (proc(5), Documentation/accounting/psi.rst, Documentation/admin-guide/iostats.rst). NaN stands for what they do not say.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace faultline {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// Ticks since boot, all processors together: user nice system idle iowait irq softirq steal; guest and guest_nice are
// contained in the first two. A kernel that counts fewer leaves 0; all are NaN where it counts no idle time.
using CpuTicks = std::array<double, 8>;
CpuTicks cpu_ticks(std::string_view stat);
// Load of the last minute.
double load_of(std::string_view loadavg);
// Microseconds since boot in which some, or all, tasks that could run waited for the resource.
std::array<double, 2> pressure_of(std::string_view pressure);

template <std::size_t N>
struct Counters {
  std::string name;
  std::array<double, N> values;
};
// Sectors read, sectors written, milliseconds in which at least one request was under way.
using DiskCounters = Counters<3>;
// Bytes, errors and drops received, then sent.
using InterfaceCounters = Counters<6>;

using Wanted = std::function<bool(const std::string& name)>;
// Those of which `wanted` is true; a line that is not whole is left out.
std::vector<DiskCounters> disks_of(std::string_view diskstats, const Wanted& wanted);
std::vector<InterfaceCounters> interfaces_of(std::string_view net_dev, const Wanted& wanted);

}  // namespace faultline
