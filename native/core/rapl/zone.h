// One RAPL zone being read: its energy counter, its limits, and the series they go to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/rapl/attribute.h"
#include "core/rapl/energy_counter.h"
#include "core/rapl/zones.h"
#include "core/sink.h"

namespace faultline {

class Zone {
 public:
  // Opens what can be opened; a zone whose energy is forbidden still gives its limits.
  Zone(ZonePlace place, Sink& sink);

  enum class Health { works, no_permission, failed, gone };
  // One reading of everything. `gone`: the kernel took the zone away (ENODEV, EIO).
  Health read(Sink& sink);
  // After a suspend: the interval is not counted.
  void forget() { counter_.forget(); }
  // Why energy cannot be read, with the file's name; empty when it can.
  const std::string& trouble() const { return trouble_; }
  bool forbidden() const { return forbidden_; }
  const ZonePlace& place() const { return place_; }

 private:
  struct Limit {
    Attribute watts_uw;
    SeriesId series;
  };

  void open_limits(Sink& sink);
  bool open_energy();
  void read_limits(Sink& sink);
  Health fail(int error);

  ZonePlace place_;
  Attribute energy_;
  EnergyCounter counter_;
  std::vector<Limit> limits_;
  SeriesId power_series_;
  SeriesId energy_series_;
  double most_constraint_w_ = 0;
  std::string trouble_;
  bool forbidden_ = false;
  int energy_error_ = 0;
};

}  // namespace faultline
