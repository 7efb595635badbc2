// One RAPL zone being read: its energy counter, its limits, and the series they go to.
#include "core/rapl/zone.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/clock.h"

namespace faultline {
namespace {

constexpr int kMaxConstraints = 10;
constexpr double kCeilingFactor = 1.5;
constexpr double kPackageCeilingW = 2000;
// psys covers a whole machine; an eight-GPU server draws ten kilowatts.
constexpr double kPlatformCeilingW = 20000;

// Names of drivers/powercap/intel_rapl_common.c.
struct Constraint {
  const char* name;
  const char* watts;
  const char* window;
};
constexpr Constraint kConstraints[] = {
    {"long_term", "power_limit", "power_limit_window"},
    {"short_term", "power_limit_short", nullptr},
    {"peak_power", "power_limit_peak", nullptr},
};

std::string series_key(const ZonePlace& place, const char* quantity) {
  return place.component + "#" + place.prefix + quantity;
}

}  // namespace

Zone::Zone(ZonePlace place, Sink& sink)
    : place_(std::move(place)),
      counter_(read_number(place_.folder + "/max_energy_range_uj").value_or(0)),
      extremes_(read_number(place_.folder + "/max_energy_range_uj").value_or(0)),
      power_series_(sink.series(series_key(place_, "power"))),
      energy_series_(sink.series(series_key(place_, "energy"))) {
  open_limits(sink);
  open_energy();
}

bool Zone::open_energy() {
  energy_error_ = energy_.open(place_.folder + "/energy_uj");
  return energy_error_ == 0;
}

// The index of a constraint is not its number: a limit the part lacks shifts the rest, so the name decides.
void Zone::open_limits(Sink& sink) {
  for (int index = 0; index < kMaxConstraints; ++index) {
    const std::string base = place_.folder + "/constraint_" + std::to_string(index) + "_";
    const auto name = read_text(base + "name");
    if (!name) continue;
    const double most_uw = static_cast<double>(read_number(base + "max_power_uw").value_or(0));
    most_constraint_w_ = std::max(most_constraint_w_, most_uw / 1e6);
    const auto known = std::find_if(std::begin(kConstraints), std::end(kConstraints),
                                    [&](const Constraint& one) { return *name == one.name; });
    if (known == std::end(kConstraints)) continue;
    open_limit(sink, base + "power_limit_uw", known->watts, true);
    if (known->window != nullptr) open_limit(sink, base + "time_window_us", known->window, false);
  }
}

void Zone::open_limit(Sink& sink, const std::string& path, const char* quantity, bool watts) {
  Limit limit{Attribute(), watts, 0};
  if (limit.value.open(path) != 0) return;
  limit.series = sink.series(series_key(place_, quantity));
  limits_.push_back(std::move(limit));
}

void Zone::read_limits(Sink& sink) {
  for (const Limit& limit : limits_) {
    int error = 0;
    const auto millionths = limit.value.read(error);
    if (!millionths) continue;
    const double value = static_cast<double>(*millionths) / 1e6;
    // The highest ever seen: a cap that was just lowered does not make the watts before it implausible.
    if (limit.watts) most_constraint_w_ = std::max(most_constraint_w_, value);
    sink.sample(limit.series, monotonic_now(), value);
  }
}

Zone::Health Zone::fail(int error) {
  trouble_ = place_.folder + "/energy_uj: " + std::strerror(error);
  forbidden_ = error == EACCES || error == EPERM;
  switch (error) {
    case EACCES:
    case EPERM:
      return Health::no_permission;
    case ENODEV:
    case EIO:
    case ENOENT:
      return Health::gone;
    default:
      forget();
      return Health::failed;
  }
}

double Zone::ceiling_w() const {
  const double cap_w = place_.prefix == "platform_" ? kPlatformCeilingW : kPackageCeilingW;
  return most_constraint_w_ > 0 ? std::min(kCeilingFactor * most_constraint_w_, cap_w) : cap_w;
}

// A failure shows in the next whole reading.
void Zone::read_fast(std::int64_t now_ns) {
  int error = 0;
  if (!energy_.is_open()) return;
  if (const auto energy_uj = energy_.read(error)) extremes_.add(*energy_uj, now_ns, ceiling_w());
}

void Zone::tell_extremes(Sink& sink, std::int64_t now_ns) {
  const auto seen = extremes_.take();
  if (!seen) return;
  if (!extreme_series_) {
    extreme_series_ = {sink.series(series_key(place_, "power_floor")), sink.series(series_key(place_, "power_peak"))};
  }
  sink.sample(extreme_series_->first, now_ns, seen->least_w);
  sink.sample(extreme_series_->second, now_ns, seen->most_w);
}

Zone::Health Zone::read(Sink& sink, bool limits) {
  if (limits) read_limits(sink);
  if (!energy_.is_open() && !open_energy()) return fail(energy_error_);
  int error = 0;
  const auto energy_uj = energy_.read(error);
  const std::int64_t now_ns = monotonic_now();
  if (!energy_uj) return fail(error);
  trouble_.clear();
  forbidden_ = false;
  const EnergyStep step = counter_.advance(*energy_uj, now_ns, ceiling_w());
  tell_extremes(sink, now_ns);
  if (step.kind == EnergyStep::Kind::counted) sink.sample(power_series_, now_ns, step.watts);
  if (step.kind == EnergyStep::Kind::counted || step.kind == EnergyStep::Kind::first) {
    sink.sample(energy_series_, now_ns, counter_.total_j());
  }
  return Health::works;
}

}  // namespace faultline
