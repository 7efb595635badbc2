// The readings that are more than a row of a table, step by step.
#pragma once

#include "vendor/nvml/asker.h"

namespace faultline::nvml {

// Each round.
void read_fast(Asker& asker, Gpu& gpu);

// Seldom, each a step of its own.
void read_heat_and_power(Asker& asker, Gpu& gpu);
void read_memory(Asker& asker, Gpu& gpu);
void read_margins(Asker& asker, Gpu& gpu);
void read_fabric(Asker& asker, Gpu& gpu);

}  // namespace faultline::nvml
