// NVML's field ids, as nvmlDeviceGetFieldValues takes them: those of the readings, and the few that only code knows.
#pragma once

namespace faultline::nvml {

#define NVML_FIELD(batch, when, id, name, unit, of, group, field, header, scale) inline constexpr unsigned kField##id = field;
#define NVML_ALSO_FIELD(batch, when, constant, id, group, field, header, scale) inline constexpr unsigned constant = field;
#define NVML_GPM(id, name, unit, of, metric, header, scale) inline constexpr unsigned kMetric##id = metric;
#include "vendor/nvml/readings.def"

inline constexpr unsigned kFieldMarginMemory = 195;  // the margin call knows no memory, so it is of no use
inline constexpr unsigned kFieldLinkFec = 235;       // to 250: blocks with so many corrected symbols, 0 to 15
inline constexpr unsigned kLinkFecBins = 16;

}  // namespace faultline::nvml
