// One RAPL zone being read: its energy counter, its limits, and the series they go to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/rapl/attribute.h"
#include "core/rapl/energy_counter.h"
#include "core/rapl/power_extremes.h"
#include "core/rapl/zones.h"
#include "core/sink.h"

namespace faultline {

class Zone {
 public:
  // Opens what can be opened; a zone whose energy is forbidden still gives its limits.
  Zone(ZonePlace place, Sink& sink);

  enum class Health { works, no_permission, failed, gone };
  // One reading of the energy, and of the limits where asked. `gone`: the kernel took the zone away (ENODEV, EIO).
  Health read(Sink& sink, bool limits);
  // Between two of those: only the extremes are kept.
  void read_fast(std::int64_t now_ns);
  // After a suspend: the interval is not counted.
  void forget() {
    counter_.forget();
    extremes_.forget();
  }
  // Why energy cannot be read, with the file's name; empty when it can.
  const std::string& trouble() const { return trouble_; }
  bool forbidden() const { return forbidden_; }
  const ZonePlace& place() const { return place_; }

 private:
  struct Limit {
    Attribute value;
    bool watts;  // else the window it is held over
    SeriesId series;
  };

  void open_limits(Sink& sink);
  void open_limit(Sink& sink, const std::string& path, const char* quantity, bool watts);
  bool open_energy();
  void read_limits(Sink& sink);
  void tell_extremes(Sink& sink, std::int64_t now_ns);
  double ceiling_w() const;
  Health fail(int error);

  ZonePlace place_;
  Attribute energy_;
  EnergyCounter counter_;
  PowerExtremes extremes_;
  std::vector<Limit> limits_;
  SeriesId power_series_;
  SeriesId energy_series_;
  std::optional<std::pair<SeriesId, SeriesId>> extreme_series_;  // floor and peak, once there are any
  double most_constraint_w_ = 0;
  std::string trouble_;
  bool forbidden_ = false;
  int energy_error_ = 0;
};

}  // namespace faultline
