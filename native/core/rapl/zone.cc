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

std::string series_key(const ZonePlace& place, const char* quantity) {
  return place.component + "#" + place.prefix + quantity;
}

}  // namespace

Zone::Zone(ZonePlace place, Sink& sink)
    : place_(std::move(place)),
      counter_(read_number(place_.folder + "/max_energy_range_uj").value_or(0)),
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
    const char* quantity = *name == "long_term" ? "power_limit" : *name == "short_term" ? "power_limit_short" : nullptr;
    Limit limit;
    if (quantity == nullptr || limit.watts_uw.open(base + "power_limit_uw") != 0) continue;
    limit.series = sink.series(series_key(place_, quantity));
    limits_.push_back(std::move(limit));
  }
}

void Zone::read_limits(Sink& sink) {
  for (const Limit& limit : limits_) {
    int error = 0;
    const auto microwatts = limit.watts_uw.read(error);
    if (!microwatts) continue;
    const double watts = static_cast<double>(*microwatts) / 1e6;
    // The highest ever seen: a cap that was just lowered does not make the watts before it implausible.
    most_constraint_w_ = std::max(most_constraint_w_, watts);
    sink.sample(limit.series, monotonic_now(), watts);
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
      counter_.forget();
      return Health::failed;
  }
}

Zone::Health Zone::read(Sink& sink) {
  read_limits(sink);
  if (!energy_.is_open() && !open_energy()) return fail(energy_error_);
  int error = 0;
  const auto energy_uj = energy_.read(error);
  const std::int64_t now_ns = monotonic_now();
  if (!energy_uj) return fail(error);
  trouble_.clear();
  forbidden_ = false;
  const double cap_w = place_.prefix == "platform_" ? kPlatformCeilingW : kPackageCeilingW;
  const double ceiling_w = most_constraint_w_ > 0 ? std::min(kCeilingFactor * most_constraint_w_, cap_w) : cap_w;
  const EnergyStep step = counter_.advance(*energy_uj, now_ns, ceiling_w);
  if (step.kind == EnergyStep::Kind::counted) sink.sample(power_series_, now_ns, step.watts);
  if (step.kind == EnergyStep::Kind::counted || step.kind == EnergyStep::Kind::first) {
    sink.sample(energy_series_, now_ns, counter_.total_j());
  }
  return Health::works;
}

}  // namespace faultline
