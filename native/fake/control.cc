// The control language: "key value" lines.
#include "fake/control.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <type_traits>

namespace faultline::fake {
namespace {

// A plausible H100 of an eight-GPU host; numbers of no real machine.
Gpu default_gpu(std::size_t index) {
  static constexpr unsigned kBuses[]{0x1b, 0x43, 0x52, 0x61, 0x9d, 0xc3, 0xd1, 0xdf};
  char text[64];
  Gpu gpu;
  const unsigned bus = index < 8 ? kBuses[index] : 0x10 + static_cast<unsigned>(index - 8);
  std::snprintf(text, sizeof text, "%04x:%02x:00.0", index < 8 ? 0U : 1U, bus);
  gpu.pci = text;
  std::snprintf(text, sizeof text, "GPU-00000000-0000-4000-8000-%012zx", index);
  gpu.uuid = text;
  gpu.name = "NVIDIA H100 80GB HBM3";
  std::snprintf(text, sizeof text, "16500230%05zu", index);
  gpu.serial = text;
  gpu.minor = static_cast<unsigned>(index);
  gpu.power_mw = 400'000;
  gpu.temperature = 55;
  gpu.sm_clock_mhz = 1755;
  gpu.memory_clock_mhz = 2619;
  gpu.power_limit_mw = 700'000;
  gpu.slowdown_c = 87;
  gpu.utilization = 95;
  gpu.supported_events = 0xff8b;  // all but those of old boards
  return gpu;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Decimal, or hexadecimal with 0x; 0 where it is not a number. A whole number cuts a fraction off.
template <class Number>
Number number(std::string_view text) {
  Number value = 0;
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  if constexpr (std::is_floating_point_v<Number>) {
    std::from_chars(text.data(), text.data() + text.size(), value);
  } else {
    std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  }
  return value;
}

constexpr unsigned kNoScope = 0;

// "FIELD VALUE", or "FIELD.error CODE", "FIELD.type NUMBER", "FIELD.bits NUMBER".
void set_field(Gpu& gpu, std::string_view key, std::string_view value, unsigned scope) {
  const std::size_t dot = key.find('.');
  const std::uint64_t id = number<unsigned>(key.substr(0, dot));
  FieldScript& script = gpu.fields[id << 32 | scope];
  const std::string_view what = dot == std::string_view::npos ? "" : key.substr(dot + 1);
  if (what.empty()) script.value = number<double>(value);
  else if (what == "error") script.error = number<int>(value);
  else if (what == "type") script.type = number<unsigned>(value);
  else if (what == "bits") script.bits = number<unsigned long long>(value);
}

// "LINK.FIELD…", with "all" for the sum over the links.
void set_link(Gpu& gpu, std::string_view key, std::string_view value) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return;
  const std::string_view link = key.substr(0, dot);
  set_field(gpu, key.substr(dot + 1), value, link == "all" ? 0xffffffff : number<unsigned>(link));
}

// "GPU_INSTANCE COMPUTE_INSTANCE UUID"
void add_instance(Gpu& gpu, std::string_view value) {
  const std::size_t first = value.find(' ');
  if (first == std::string_view::npos) return;
  const std::string_view rest = trimmed(value.substr(first));
  const std::size_t second = rest.find(' ');
  if (second == std::string_view::npos) return;
  gpu.instances.push_back({number<unsigned>(value.substr(0, first)), number<unsigned>(rest.substr(0, second)),
                           std::string(trimmed(rest.substr(second)))});
}

// "GPU_INSTANCE.ecc COUNT" or "GPU_INSTANCE.gpm.METRIC VALUE"
void set_instance(Gpu& gpu, std::string_view key, std::string_view value) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos) return;
  InstanceScript& script = gpu.instance_scripts[number<unsigned>(key.substr(0, dot))];
  key.remove_prefix(dot + 1);
  if (key == "ecc") script.uncorrected = number<unsigned long long>(value);
  else if (key.starts_with("gpm.")) script.gpm[number<unsigned>(key.substr(4))] = number<double>(value);
}

void set_processes(Gpu& gpu, std::string_view value) {
  gpu.processes.clear();
  gpu.instance_processes.clear();
  while (!value.empty() && value != "-") {
    const std::string_view item = value.substr(0, value.find(','));
    value.remove_prefix(std::min(value.size(), item.size() + 1));
    const std::size_t colon = item.find(':');
    const auto pid = number<unsigned>(trimmed(item.substr(0, colon)));
    if (colon == std::string_view::npos) gpu.processes.push_back(pid);
    else gpu.instance_processes[number<unsigned>(trimmed(item.substr(colon + 1)))].push_back(pid);
  }
}

// "SERIAL TYPE DATA COUNT", the last two optional.
void set_event(EventScript& event, std::string_view value) {
  event = {};
  unsigned long long* const parts[]{&event.type, &event.data, &event.count};
  event.serial = number<std::uint64_t>(value.substr(0, value.find(' ')));
  for (unsigned long long* part : parts) {
    if (value.find(' ') == std::string_view::npos) return;
    value = trimmed(value.substr(value.find(' ')));
    *part = number<unsigned long long>(value.substr(0, value.find(' ')));
  }
}

void set_gpu(Gpu& gpu, std::string_view key, std::string_view value) {
  const auto whole = [value] { return number<unsigned>(value); };
  if (key == "pci") gpu.pci = value;
  else if (key == "uuid") gpu.uuid = value;
  else if (key == "name") gpu.name = value;
  else if (key == "serial") gpu.serial = value;
  else if (key == "probe") gpu.probe = value;
  else if (key == "minor") gpu.minor = whole();
  else if (key == "power_mw") gpu.power_mw = whole();
  else if (key == "energy_mj") gpu.energy_mj = number<unsigned long long>(value);
  else if (key == "temperature") gpu.temperature = whole();
  else if (key == "sm_clock_mhz") gpu.sm_clock_mhz = whole();
  else if (key == "memory_clock_mhz") gpu.memory_clock_mhz = whole();
  else if (key == "power_limit_mw") gpu.power_limit_mw = whole();
  else if (key == "reasons") gpu.reasons = number<unsigned long long>(value);
  else if (key == "slowdown_c") gpu.slowdown_c = whole();
  else if (key == "utilization") gpu.utilization = whole();
  else if (key == "error") gpu.error = number<int>(value);
  else if (key == "hang") gpu.hang = whole() != 0;
  else if (key == "crash") gpu.crash = whole() != 0;
  else if (key == "architecture") gpu.architecture = architecture_of(value);
  else if (key == "links") gpu.links = whole();
  else if (key == "links_down") gpu.links_down = whole();
  else if (key == "mig") gpu.mig = whole() != 0;
  else if (key == "instance") add_instance(gpu, value);
  else if (key.starts_with("gi.")) set_instance(gpu, key.substr(3), value);
  else if (key == "processes") set_processes(gpu, value);
  else if (key.starts_with("field.")) set_field(gpu, key.substr(6), value, kNoScope);
  else if (key.starts_with("link.")) set_link(gpu, key.substr(5), value);
  else if (key.starts_with("value.")) gpu.values[std::string(key.substr(6))] = number<unsigned long long>(value);
  else if (key.starts_with("gpm.")) gpu.gpm[number<unsigned>(key.substr(4))] = number<double>(value);
  else if (key == "event") set_event(gpu.event, value);
  else if (key == "supported_events") gpu.supported_events = number<unsigned long long>(value);
  else if (key == "refresh_ms") gpu.refresh_ms = whole();
  else if (key == "xid") {
    const std::size_t space = value.find(' ');
    if (space == std::string_view::npos) return;
    gpu.xid_serial = number<std::uint64_t>(value.substr(0, space));
    gpu.xid = number<unsigned long long>(trimmed(value.substr(space)));
  }
}

void set_call(CallFault& fault, std::string_view key, std::string_view value) {
  if (key == "error") fault.error = number<int>(value);
  else if (key == "delay_ms") fault.delay_ms = number<unsigned>(value);
  else if (key == "hang") fault.hang = number<int>(value) != 0;
  else if (key == "crash") fault.crash = number<int>(value) != 0;
}

void set(State& state, std::string_view key, std::string_view value) {
  if (key == "driver") {
    state.driver = value;
  } else if (key == "system.event") {
    set_event(state.system_event, value);
  } else if (key.starts_with("gpu.")) {
    const std::size_t dot = key.find('.', 4);
    if (dot == std::string_view::npos) return;
    const auto index = number<std::size_t>(key.substr(4, dot - 4));
    if (index < state.gpus.size()) set_gpu(state.gpus[index], key.substr(dot + 1), value);
  } else if (key.starts_with("call.")) {
    const std::size_t dot = key.find('.', 5);
    if (dot != std::string_view::npos) set_call(state.calls[std::string(key.substr(5, dot - 5))], key.substr(dot + 1), value);
  }
}

template <class Each>
void each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::string_view line = trimmed(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), text.find('\n') == std::string_view::npos ? text.size() : text.find('\n') + 1));
    const std::size_t space = line.find_first_of(" \t");
    if (line.empty() || line.front() == '#' || space == std::string_view::npos) continue;
    each(line.substr(0, space), trimmed(line.substr(space)));
  }
}

}  // namespace

State parse_control(std::string_view text) {
  State state;
  std::size_t devices = 8;
  each_line(text, [&](std::string_view key, std::string_view value) {
    if (key == "devices") devices = std::min(number<std::size_t>(value), kMostGpus);
    if (key == "generation") state.driver = driver_of(number<int>(value.substr(value.starts_with('r') ? 1 : 0)));
  });
  for (std::size_t index = 0; index < devices; ++index) state.gpus.push_back(default_gpu(index));
  each_line(text, [&state](std::string_view key, std::string_view value) { set(state, key, value); });
  state.branch = branch_of(state.driver);
  return state;
}

}  // namespace faultline::fake
