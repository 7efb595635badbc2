// What the files of procfs say of a host as a whole.
#include "core/host/host_text.h"

#include <charconv>
#include <cmath>

#include "core/host/text_scan.h"

namespace faultline {

CpuTicks cpu_ticks(std::string_view stat) {
  CpuTicks ticks;
  ticks.fill(kNoNumber);
  if (!stat.starts_with("cpu ")) return ticks;
  const std::vector<double> numbers = numbers_of(after_label(stat, "cpu "));
  if (numbers.size() < 4) return ticks;
  for (std::size_t i = 0; i < ticks.size(); ++i) ticks[i] = i < numbers.size() ? numbers[i] : 0;
  return ticks;
}

double load_of(std::string_view loadavg) {
  constexpr std::size_t kMostDigits = 12;
  constexpr double kMost = 1e9;
  const std::size_t end = loadavg.find(' ');
  if (end == std::string_view::npos || end == 0 || end > kMostDigits) return kNoNumber;
  double load = 0;
  const auto [stop, error] = std::from_chars(loadavg.data(), loadavg.data() + end, load);
  const bool whole = error == std::errc() && stop == loadavg.data() + end;
  return whole && load >= 0 && load < kMost ? load : kNoNumber;
}

std::array<double, 2> pressure_of(std::string_view pressure) {
  const auto total = [&](std::string_view label) {
    constexpr std::string_view kTotal = " total=";
    const std::string_view line = after_label(pressure, label);
    const std::size_t at = line.find(kTotal);
    if (at == std::string_view::npos) return kNoNumber;
    const std::vector<double> numbers = numbers_of(line.substr(at + kTotal.size()));
    return numbers.empty() ? kNoNumber : numbers.front();
  };
  return {total("some "), total("full ")};
}

std::vector<DiskCounters> disks_of(std::string_view diskstats, const Wanted& wanted) {
  std::vector<DiskCounters> disks;
  each_line(diskstats, [&](std::string_view line) {
    take_word(line);  // major
    take_word(line);  // minor
    const std::string name(take_word(line));
    if (name.empty() || !wanted(name)) return;
    // reads, merged, sectors, ms; writes, merged, sectors, ms; under way, busy ms, …
    const std::vector<double> fields = numbers_of(line);
    if (fields.size() < 7) return;
    disks.push_back({name, {fields[2], fields[6], fields.size() > 9 ? fields[9] : kNoNumber}});
  });
  return disks;
}

std::vector<InterfaceCounters> interfaces_of(std::string_view net_dev, const Wanted& wanted) {
  std::vector<InterfaceCounters> interfaces;
  each_line(net_dev, [&](std::string_view line) {
    const std::size_t start = line.find_first_not_of(" \t");
    const std::size_t colon = start == std::string_view::npos ? start : line.find(':', start);
    if (colon == std::string_view::npos || colon == start) return;
    const std::string name(line.substr(start, colon - start));
    if (!wanted(name)) return;
    // bytes, packets, errors, drops, fifo, frame, compressed, multicast; then the same of what was sent
    const std::vector<double> fields = numbers_of(line.substr(colon + 1));
    if (fields.size() < 12) return;
    interfaces.push_back({name, {fields[0], fields[2], fields[3], fields[8], fields[10], fields[11]}});
  });
  return interfaces;
}

}  // namespace faultline
