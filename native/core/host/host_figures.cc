// Reads what procfs says of a host as a whole.
#include "core/host/host_figures.h"

#include <iterator>
#include <utility>

#include "core/host/text_scan.h"

namespace faultline {
namespace {

// /proc/stat of 512 processors has 60 KiB, /proc/net/dev of a thousand interfaces 120 KiB; what is longer is cut.
constexpr std::size_t kMostBytes = 256 * 1024;
constexpr std::size_t kMostHanging = 4;
// Devices are looked up in sysfs again after this many rounds.
constexpr std::uint32_t kRoundsOfDevices = 60;
constexpr std::size_t kMostBootId = 64;
constexpr const char* kMemory[] = {"MemTotal:", "MemAvailable:", "Shmem:", "SwapTotal:", "SwapFree:"};
constexpr const char* kPressure[] = {"pressure/cpu", "pressure/memory", "pressure/io"};

// Looks devices up in sysfs: of one step, which never runs twice at a time.
struct Devices {
  explicit Devices(std::string sys) : physical(std::move(sys)) {}
  PhysicalDevices& now() {
    if (rounds++ % kRoundsOfDevices == 0) physical.forget();
    return physical;
  }
  PhysicalDevices physical;
  std::uint32_t rounds = 0;
};

}  // namespace

HostFigures::HostFigures(HostRoots roots, std::unique_ptr<ProcessFiles> files, std::int64_t limit_ns)
    : roots_(std::move(roots)), files_(std::move(files)), steps_(std::make_shared<Steps>(limit_ns, kMostHanging)) {
  plan();
}

void HostFigures::plan() {
  plan_.push_back({{"stat"}, [](std::string_view text) -> Apply {
                     return [cpu = cpu_ticks(text), blocked = labelled(text, "procs_blocked "),
                             boot = labelled(text, "btime ")](HostRound& round) {
                       round.cpu = cpu;
                       round.tasks_blocked = blocked;
                       round.boot_time_s = boot;
                     };
                   }});
  plan_.push_back({{"loadavg"}, [](std::string_view text) -> Apply {
                     return [load = load_of(text)](HostRound& round) { round.load = load; };
                   }});
  plan_.push_back({{"meminfo"}, [](std::string_view text) -> Apply {
                     std::array<double, 5> memory;
                     for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = labelled(text, kMemory[i]);
                     return [memory](HostRound& round) { round.memory_kib = memory; };
                   }});
  for (std::size_t i = 0; i < std::size(kPressure); ++i) {
    plan_.push_back({{kPressure[i]}, [i](std::string_view text) -> Apply {
                       return [i, total = pressure_of(text)](HostRound& round) { round.pressure_us[i] = total; };
                     }});
  }
  const auto disks = std::make_shared<Devices>(roots_.sys);
  plan_.push_back({{"diskstats"}, [disks](std::string_view text) -> Apply {
                     PhysicalDevices& physical = disks->now();
                     auto found = disks_of(text, [&](const std::string& name) { return physical.is_disk(name); });
                     return [found = std::move(found)](HostRound& round) {
                       round.has_disks = true;
                       round.disks = found;
                     };
                   }});
  const auto interfaces = std::make_shared<Devices>(roots_.sys);
  // Process 1's are the host's where we run in a network namespace of our own and look through a mounted procfs.
  plan_.push_back({{"1/net/dev", "net/dev"}, [interfaces](std::string_view text) -> Apply {
                     PhysicalDevices& physical = interfaces->now();
                     auto found = interfaces_of(
                         text, [&](const std::string& name) { return !physical.interface_device(name).empty(); });
                     std::vector<std::string> devices;
                     for (const InterfaceCounters& one : found) devices.push_back(physical.interface_device(one.name));
                     return [found = std::move(found), devices = std::move(devices)](HostRound& round) {
                       round.has_interfaces = true;
                       round.interfaces = found;
                       round.interface_devices = devices;
                     };
                   }});
  plan_.push_back({{"sys/kernel/random/boot_id"}, [](std::string_view text) -> Apply {
                     return [id = std::string(text.substr(0, kMostBootId))](HostRound& round) { round.boot_id = id; };
                   }});
}

bool HostFigures::read(std::function<void(HostRound)> done) {
  const auto self = shared_from_this();
  return steps_->run([self] { return self->next(); },
                     [self, done = std::move(done)] {
                       HostRound round = self->steps_->locked([&] {
                         self->at_ = 0;
                         const auto made = std::exchange(self->round_, nullptr);
                         return made ? *made : HostRound();
                       });
                       round.hanging = self->steps_->hanging();
                       done(std::move(round));
                     });
}

std::optional<Steps::Step> HostFigures::next() {
  if (at_ == 0) round_ = std::make_shared<HostRound>();
  if (at_ == plan_.size()) return std::nullopt;
  const File& file = plan_[at_++];
  return Steps::Step{roots_.proc + "/" + file.paths.front(),
                     [self = shared_from_this(), &file, round = round_] { return self->take(file, round); }};
}

Steps::Take HostFigures::take(const File& file, const std::shared_ptr<HostRound>& round) const {
  std::vector<std::pair<std::string, int>> failures;
  Apply apply;
  for (const std::string& path : file.paths) {
    std::string text;
    const int error = files_->read(roots_.proc + "/" + path, kMostBytes, text);
    if (error != 0) failures.emplace_back(path, error);
    if (text.size() == kMostBytes) text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
    if (error != 0 || text.empty()) continue;
    apply = file.parse(text);
    break;
  }
  return [round, apply, failures] {
    if (apply) apply(*round);
    round->failures.insert(round->failures.end(), failures.begin(), failures.end());
  };
}

}  // namespace faultline
